package marketplace

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"zombiezen.com/go/sqlite"
)

var (
	// ErrLocked is returned when another process kept the database locked for
	// longer than is waited.
	ErrLocked = errors.New("the database is locked by another process")
	// ErrFull is returned when the disk of the database has no space left.
	// What was to be written was not written.
	ErrFull = errors.New("no space is left on the disk of the database")
	// ErrReadOnly is returned when the database can be read but not written.
	ErrReadOnly = errors.New("the database is read-only")
)

// lockWait is how long a change waits for its turn to write, and how long a
// statement waits for another process. It is well within drainTimeout.
const lockWait = 5 * time.Second

// trouble names what is wrong with the database or its disk, where that is
// known, in front of the words of SQLite.
func trouble(err error) error {
	var known error
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		known = ErrLocked
	case sqlite.ResultFull:
		known = ErrFull
	case sqlite.ResultReadOnly:
		known = ErrReadOnly
	}
	// The shared memory beside the file is what a full disk has no room for when
	// the database is opened.
	if sqlite.ErrCode(err) == sqlite.ResultIOErrSHMSize || errors.Is(err, syscall.ENOSPC) {
		known = ErrFull
	}
	if errors.Is(err, syscall.EROFS) {
		known = ErrReadOnly
	}
	if known == nil || errors.Is(err, known) {
		return err
	}
	return fmt.Errorf("%w: %w", known, err)
}
