package marketplace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"tonne/api/marketplace/exchange"
)

// Backup writes the current database into a new file, which Open can open. The error is
// fs.ErrExist if the file exists.
func (m *Marketplace) Backup(ctx context.Context, path string) error {
	return failedAt("back up the marketplace", m.backup(ctx, path))
}

func (m *Marketplace) backup(ctx context.Context, path string) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	// The database writes into an empty file that already has the private mode of
	// CreateTemp, so other users can never read it.
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
