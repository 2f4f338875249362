package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/terminal"
)

func TestReadIDsSkipsComments(t *testing.T) {
	t.Parallel()
	got, err := filing.ReadIDs(command.NewApp(command.Process{Stdin: strings.NewReader("\ufeff# a comment R8\nR1\r\n  # another R9\n#R7\nR2, R3#4\n")}, new(terminal.Terminal)), nil, "-", "")
	if want := []string{"R1", "R2", "R3#4"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// The limit bounds memory, because all responses are kept until the last one arrives.
func TestReadIDsLimitsGuests(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for n := range 10_001 {
		fmt.Fprintf(&list, "R%d\n", n)
	}
	a := command.NewApp(command.Process{Stdin: strings.NewReader(list.String()), Stderr: io.Discard, Getenv: func(string) string { return "" }, Guest: &command.Guest{Fit: strings.TrimSpace}}, new(terminal.Terminal))
	if _, err := filing.ReadIDs(a, nil, "-", ""); err == nil || !strings.Contains(err.Error(), "there are 10001 ids") {
		t.Errorf("%v", err)
	}
	a.Stdin = strings.NewReader(strings.Repeat("R1\n", 10_000) + "R2")
	if ids, err := filing.ReadIDs(a, nil, "-", ""); err != nil || len(ids) != 2 {
		t.Errorf("%d ids, %v", len(ids), err)
	}
	a.Stdin = strings.NewReader(strings.Repeat("#\n", 1<<20))
	if _, err := filing.ReadIDs(a, nil, "-", ""); err == nil || !strings.Contains(err.Error(), "longer than 1 MiB") {
		t.Errorf("%v", err)
	}
	a.Stdin, a.Guest = strings.NewReader(list.String()), nil
	if ids, err := filing.ReadIDs(a, nil, "-", ""); err != nil || len(ids) != 10_001 {
		t.Errorf("not a guest: %d ids, %v", len(ids), err)
	}
}
