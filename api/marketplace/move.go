package marketplace

import (
	"context"
	"errors"
	"os"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/postgres"
)

// Move copies the whole database into another one, which it creates if necessary, and
// compares both. The error may be exchange.ErrNotEmpty, os.ErrNotExist,
// exchange.ErrNoMarketplace, an *AddressError or an *OpenError, whose cause is
// exchange.ErrServed if a service uses a file: later changes would be lost.
func Move(ctx context.Context, from, to string) (moved []exchange.Moved, err error) {
	for _, address := range []string{from, to} {
		if err := CheckAddress(address); err != nil {
			return nil, &OpenError{address, err}
		}
	}
	source, err := openSource(ctx, from, to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := openUnhurried(ctx, to, false)
	if err != nil {
		return nil, &OpenError{to, err}
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	moved, err = exchange.Move(ctx, source, target)
	return moved, failedAt("move the marketplace", err)
}

func openSource(ctx context.Context, from, to string) (exchange.Database, error) {
	if !OnServer(from) {
		source, err := os.Stat(from)
		if err != nil {
			return nil, err
		}
		if target, err := os.Stat(to); err == nil && os.SameFile(source, target) {
			return nil, exchange.ErrNotEmpty
		}
	}
	db, err := openUnhurried(ctx, from, true)
	if err != nil {
		return nil, &OpenError{from, err}
	}
	return db, nil
}

// OpenError is returned by Move if it cannot open one of the two databases.
type OpenError struct {
	Path string
	Err  error
}

// Error returns the path of the database and the cause.
func (e *OpenError) Error() string { return "open " + e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

func openUnhurried(ctx context.Context, path string, existing bool) (exchange.Database, error) {
	if OnServer(path) {
		path = postgres.Unhurried(path)
	}
	return openEngine(ctx, path, Options{Existing: existing, Service: existing})
}
