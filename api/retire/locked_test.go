package retire

import (
	"errors"
	"testing"

	"zombiezen.com/go/sqlite"
)

func TestALockedJournalIsNotAFullDisk(t *testing.T) {
	t.Parallel()
	busy := sqlite.ResultBusy.ToError()
	for _, err := range []error{diskError(busy), failed("/a/journal.db", busy)} {
		if !errors.Is(err, ErrLocked) || errors.Is(err, ErrDisk) {
			t.Errorf("%v", err)
		}
	}
}
