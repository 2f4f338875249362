package cli

import (
	"strings"
	"testing"

	"tonne/ui/cli/terminal"
)

func TestLeavingATerminalBreaksItsLinesAndTakesItsKeysAgain(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"lines break": "\x1b[?7h", "keys are told as by themselves": "\x1b[>4m"} {
		if before, _, _ := strings.Cut(terminal.Leave, "\x1b[?1049l"); !strings.Contains(before, want) {
			t.Errorf("%s: %q leaves out %q", name, terminal.Leave, want)
		}
	}
}
