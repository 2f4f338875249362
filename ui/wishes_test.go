package ui

import (
	"strings"
	"testing"

	"tonne/ui/tab"
)

func TestANotificationHoldsNothingThatATerminalObeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"00m is COMPLETE.":        "00m is COMPLETE.",
		"a\x07\x1b]52;c;aGk=\x07": "a\uFFFD\uFFFD]52;c;aGk=\uFFFD",
		"森1️⃣\u009c\n":            "森1️⃣\uFFFD\uFFFD",
		strings.Repeat("x", 1000): strings.Repeat("x", 199) + "…",
	} {
		r := newRobot(t, 120, 36)
		r.send(tab.Notify{Text: text})
		if want := "\x1b]9;" + want + "\x07\x07"; len(r.raw) != 1 || r.raw[0] != want {
			t.Errorf("%.40q is written as %.60q, want %.60q", text, r.raw, want)
		}
	}
}
