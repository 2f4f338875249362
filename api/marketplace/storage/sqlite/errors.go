package sqlite

import (
	"errors"
	"fmt"
	"syscall"

	"zombiezen.com/go/sqlite"

	"tonne/api/marketplace/storage"
)

func translate(err error) error {
	var known error
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		known = storage.ErrLocked
	case sqlite.ResultFull:
		known = storage.ErrFull
	case sqlite.ResultReadOnly:
		known = storage.ErrReadOnly
	}
	// The shared memory beside the file is what a full disk has no room for when
	// the database is opened.
	if sqlite.ErrCode(err) == sqlite.ResultIOErrSHMSize || errors.Is(err, syscall.ENOSPC) {
		known = storage.ErrFull
	}
	if errors.Is(err, syscall.EROFS) {
		known = storage.ErrReadOnly
	}
	if known == nil || errors.Is(err, known) {
		return err
	}
	return fmt.Errorf("%w: %w", known, err)
}
