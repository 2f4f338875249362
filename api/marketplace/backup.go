package marketplace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"tonne/api/marketplace/exchange"
)

// Backup writes the database as it is now into a new file, which Open takes. The error is
// fs.ErrExist for a file that is there.
func (m *Marketplace) Backup(ctx context.Context, path string) error {
	return failedAt("back up the marketplace", m.backup(ctx, path))
}

func (m *Marketplace) backup(ctx context.Context, path string) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	// The database fills a file that is there and empty: so nobody else can
	// read it at any time.
	f, err := os.CreateTemp(filepath.Dir(path), ".tonne-backup-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(m.db.Backup(ctx, f), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil {
		return err
	}
	return m.change(ctx, operator, func(c *exchange.Change) { c.Audit("back up", filepath.Base(path), "") })
}
