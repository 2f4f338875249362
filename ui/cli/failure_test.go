package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tonne/api/retire"
)

func TestASentenceKeepsTheErrorThatItEndsWith(t *testing.T) {
	t.Parallel()
	err := failed("make room", "%w", fmt.Errorf("open: %w", retire.ErrDisk))
	if !errors.Is(err, retire.ErrDisk) || err.Error() != "open: "+retire.ErrDisk.Error() {
		t.Errorf("%v", err)
	}
	if err := failed("do it", "no error is in %q", "it"); errors.Unwrap(err) != nil {
		t.Errorf("%v wraps %v", err, errors.Unwrap(err))
	}
}

func TestACallOfNoBatchIsRetiredAnewByThePerson(t *testing.T) {
	t.Parallel()
	call := retire.Call{State: retire.Refused}
	if got := whatBecame(call); strings.Contains(got, "batch") {
		t.Error(got)
	}
	if call.Batch = "october"; !strings.Contains(whatBecame(call), "the same batch") {
		t.Error(whatBecame(call))
	}
}
