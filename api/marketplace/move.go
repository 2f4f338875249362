package marketplace

import (
	"context"
	"errors"
	"os"

	"tonne/api/marketplace/storage"
	"tonne/api/marketplace/storage/sqlite"
)

// Move copies everything in the database at one address into another, which is
// made where it is not there, and compares both. The error is
// storage.ErrNotEmpty for a target that holds something; os.ErrNotExist where
// there is nothing to move from.
func Move(ctx context.Context, from, to string) (moved []storage.Moved, err error) {
	if _, err := os.Stat(from); err != nil {
		return nil, err
	}
	source, err := sqlite.Open(ctx, from)
	if err != nil {
		return nil, failedAt("open the database to move from", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := sqlite.Open(ctx, to)
	if err != nil {
		return nil, failedAt("open the database to move to", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	moved, err = storage.Move(ctx, source, target)
	return moved, failedAt("move the marketplace", err)
}
