package cli

import (
	"errors"
	"fmt"
	"testing"

	"tonne/api/retire"
	"tonne/ui/cli/command"
)

func TestFailureWrapsItsCause(t *testing.T) {
	t.Parallel()
	err := command.Failed("make room", "%w", fmt.Errorf("open: %w", retire.ErrDisk))
	if !errors.Is(err, retire.ErrDisk) || err.Error() != "open: "+retire.ErrDisk.Error() {
		t.Errorf("%v", err)
	}
	if err := command.Failed("do it", "no error is in %q", "it"); errors.Unwrap(err) != nil {
		t.Errorf("%v wraps %v", err, errors.Unwrap(err))
	}
}
