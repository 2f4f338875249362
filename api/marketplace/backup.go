package marketplace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tonne/api/marketplace/exchange"
)

// Backup writes the database as it is now into a new file at path, while the
// service goes on. The file is a database that Open takes. An existing file
// is left alone: the error is then fs.ErrExist. What backups left in the same
// directory that were killed is removed.
func (m *Marketplace) Backup(ctx context.Context, path string) error {
	return failedAt("back up the marketplace", m.backup(ctx, path))
}

func (m *Marketplace) backup(ctx context.Context, path string) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	// The database fills a file that is there and empty: so nobody else can
	// read it at any time.
	dir := filepath.Dir(path)
	removeUnfinished(dir, time.Now())
	f, err := os.CreateTemp(dir, unfinished)
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
	return m.change(ctx, operator, func(c *exchange.Change) error {
		c.Audit("back up", filepath.Base(path), "")
		return nil
	})
}

// unfinished is how the file of a backup is called until it is whole.
const unfinished = ".tonne-backup-*"

// abandonedAfter is how long nobody has written to a file that nobody writes any
// more.
const abandonedAfter = time.Hour

// removeUnfinished removes what is left of backups that were killed. Where that
// fails the backup goes on: it does not need their names.
func removeUnfinished(dir string, now time.Time) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if ours, _ := filepath.Match(unfinished, entry.Name()); !ours || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > abandonedAfter {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}
