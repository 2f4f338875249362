package sqlite

import (
	"errors"
	"fmt"
	"syscall"

	"zombiezen.com/go/sqlite"

	"tonne/api/marketplace/exchange"
)

func translate(err error) error {
	var known error
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		known = exchange.ErrLocked
	case sqlite.ResultFull:
		known = exchange.ErrFull
	case sqlite.ResultReadOnly:
		known = exchange.ErrReadOnly
	}
	// The shared memory beside the file is what a full disk has no room for when
	// the database is opened.
	if sqlite.ErrCode(err) == sqlite.ResultIOErrSHMSize || errors.Is(err, syscall.ENOSPC) {
		known = exchange.ErrFull
	}
	if errors.Is(err, syscall.EROFS) {
		known = exchange.ErrReadOnly
	}
	if known == nil || errors.Is(err, known) {
		return err
	}
	return fmt.Errorf("%w: %w", known, err)
}
