package marketplace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Backup writes the database as it is now into a new file at path, while the
// service goes on. The file is a database that Open takes. An existing file
// is left alone: the error is then fs.ErrExist.
func (m *Marketplace) Backup(ctx context.Context, path string) error {
	if err := m.backup(ctx, path); err != nil {
		return fmt.Errorf("back up the marketplace: %w", err)
	}
	return nil
}

func (m *Marketplace) backup(ctx context.Context, path string) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	// SQLite fills a file that is there and empty: so nobody else can read it
	// at any time.
	f, err := os.CreateTemp(filepath.Dir(path), ".tonne-backup-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(m.copyInto(ctx, f), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil {
		return err
	}
	return m.change(ctx, operator, func(c *change) error { return c.audit("back up", filepath.Base(path), "") })
}

func (m *Marketplace) copyInto(ctx context.Context, f *os.File) (err error) {
	conn, err := sqlite.OpenConn(m.db.uri, m.db.flags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	conn.SetBusyTimeout(lockWait)
	if m.db.inMemory {
		// VACUUM INTO would write into memory too.
		image, err := conn.Serialize("main")
		if err != nil {
			return err
		}
		_, err = f.Write(image)
		return err
	}
	return sqlitex.ExecuteTransient(conn, "VACUUM INTO ?", &sqlitex.ExecOptions{Args: []any{f.Name()}})
}
