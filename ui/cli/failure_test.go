package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tonne/api/retire/journal"
)

func TestASentenceKeepsTheErrorThatItEndsWith(t *testing.T) {
	t.Parallel()
	err := failed("make room", "%w", fmt.Errorf("open: %w", journal.ErrDisk))
	if !errors.Is(err, journal.ErrDisk) || err.Error() != "open: "+journal.ErrDisk.Error() {
		t.Errorf("%v", err)
	}
	if err := failed("do it", "no error is in %q", "it"); errors.Unwrap(err) != nil {
		t.Errorf("%v wraps %v", err, errors.Unwrap(err))
	}
}

func TestACallOfNoBatchIsRetiredAnewByThePerson(t *testing.T) {
	t.Parallel()
	call := journal.Call{State: journal.Refused}
	if got := whatBecame(call); strings.Contains(got, "batch") {
		t.Error(got)
	}
	if call.Batch = "october"; !strings.Contains(whatBecame(call), "the same batch") {
		t.Error(whatBecame(call))
	}
}
