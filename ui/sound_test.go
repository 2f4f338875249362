package ui_test

import (
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/uitest"
)

// failures counts the failures of a check.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Errorf(string, ...any) { f.n++ }

func isSound(t *testing.T, frame string) bool {
	f := &failures{TB: t}
	uitest.Sound(f, frame)
	return f.n == 0
}

func TestSoundKnowsWhatATerminalObeys(t *testing.T) {
	t.Parallel()
	for _, sound := range []string{"a", "\n", " ", "~", "é", "森", "\u00a0", "\x1b[m", "\x1b[0;38;2;1;2;3m", "\x1b]8;;https://a.example\x1b\\", "\x1b]8;;\x1b\\"} {
		must.Hold(t, isSound(t, sound), sound)
	}
	for _, raw := range []string{
		"\x1b", "\x1b[", "\x1b[2J", "\x1b[?25l", "\x1b[1", "\x1b]8;;a b\x1b\\", "\x1b]8;;a", "\x1b]8;x;a\x1b\\", "\x1b]52;c;\x07", "\x1bc",
		"\r", "\x00", "\x07", "\t", "\x7f", "\u0080", "\u009b31m", "\u009f",
	} {
		must.Hold(t, !isSound(t, raw), raw)
	}
}
