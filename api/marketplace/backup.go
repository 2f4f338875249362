package marketplace

import (
	"context"
	"os"
	"path/filepath"

	"tonne/api/marketplace/exchange"
	"tonne/model/file/localfile"
)

// Backup writes the current database into a file, which Open can open. The error is
// fs.ErrExist if the file exists and must not be replaced.
func (m *Marketplace) Backup(ctx context.Context, to localfile.Target) error {
	return failedAt("back up the marketplace", m.backup(ctx, to))
}

func (m *Marketplace) backup(ctx context.Context, to localfile.Target) error {
	if err := to.Check(); err != nil {
		return err
	}
	// The database writes into an empty file that is already private, so other users can never read it.
	if err := to.Write(func(f *os.File) error { return m.db.Backup(ctx, f) }); err != nil {
		return err
	}
	path := to.Path
	return m.change(ctx, operator, func(c *exchange.Change) { c.Audit("back up", filepath.Base(path), "") })
}
