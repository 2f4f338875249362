package uitest

import "testing"

func TestSoundKnowsWhatATerminalObeys(t *testing.T) {
	t.Parallel()
	for _, sound := range []string{"a", "\n", " ", "~", "é", "森", "\u00a0", "\x1b[m", "\x1b[0;38;2;1;2;3m", "\x1b]8;;https://a.example\x1b\\", "\x1b]8;;\x1b\\"} {
		if got := soundAt(sound); got != len(sound) {
			t.Errorf("%d bytes of %q are sound", got, sound)
		}
	}
	for _, raw := range []string{
		"\x1b", "\x1b[", "\x1b[2J", "\x1b[?25l", "\x1b[1", "\x1b]8;;a b\x1b\\", "\x1b]8;;a", "\x1b]8;x;a\x1b\\", "\x1b]52;c;\x07", "\x1bc",
		"\r", "\x00", "\x07", "\t", "\x7f", "\u0080", "\u009b31m", "\u009f",
	} {
		if got := soundAt(raw); got != 0 {
			t.Errorf("%d bytes of %q are sound", got, raw)
		}
	}
}
