package cli

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tonne/api/retire"
	"tonne/ui/cli/command"
	retirecmd "tonne/ui/cli/retire"
)

func TestASentenceKeepsTheErrorThatItEndsWith(t *testing.T) {
	t.Parallel()
	err := command.Failed("make room", "%w", fmt.Errorf("open: %w", retire.ErrDisk))
	if !errors.Is(err, retire.ErrDisk) || err.Error() != "open: "+retire.ErrDisk.Error() {
		t.Errorf("%v", err)
	}
	if err := command.Failed("do it", "no error is in %q", "it"); errors.Unwrap(err) != nil {
		t.Errorf("%v wraps %v", err, errors.Unwrap(err))
	}
}

func TestACallOfNoBatchIsRetiredAnewByThePerson(t *testing.T) {
	t.Parallel()
	call := retire.Call{State: retire.Refused}
	if got := retirecmd.WhatBecame(call); strings.Contains(got, "batch") {
		t.Error(got)
	}
	if call.Batch = "october"; !strings.Contains(retirecmd.WhatBecame(call), "the same batch") {
		t.Error(retirecmd.WhatBecame(call))
	}
}
