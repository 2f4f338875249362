package marketplace

import (
	"context"
	"errors"
	"os"

	"tonne/api/marketplace/storage"
	"tonne/api/marketplace/storage/postgres"
)

// Move copies everything in the database at one address into another, which is
// made where it is not there, and compares both. The error is
// storage.ErrNotEmpty for a target that holds something; os.ErrNotExist where
// there is nothing to move from.
func Move(ctx context.Context, from, to string) (moved []storage.Moved, err error) {
	if _, err := os.Stat(from); err != nil && !OnServer(from) {
		return nil, err
	}
	source, err := openUnhurried(ctx, from)
	if err != nil {
		return nil, failedAt("open the database to move from", err)
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := openUnhurried(ctx, to)
	if err != nil {
		return nil, failedAt("open the database to move to", err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	moved, err = storage.Move(ctx, source, target)
	return moved, failedAt("move the marketplace", err)
}

// openUnhurried opens a database for transactions in which another is read or
// written.
func openUnhurried(ctx context.Context, path string) (storage.Database, error) {
	if OnServer(path) {
		path = postgres.Unhurried(path)
	}
	return openEngine(ctx, path)
}
