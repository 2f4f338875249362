package ui

import (
	"context"
	"strings"
	"testing"

	"tonne/ui/effect"
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
		r.send(result{value: effect.Notify{Text: text}})
		if want := "\x1b]9;" + want + "\x07\x07"; len(r.raw) != 1 || r.raw[0] != want {
			t.Errorf("%.40q is written as %.60q, want %.60q", text, r.raw, want)
		}
	}
}

func TestAResultComesBackToTheTabThatAskedForIt(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.press("2")
	prompt := effect.Work(func(context.Context) any { return effect.Prompt{Title: "Of the market"} })
	r.run(r.app.carryOut(0, prompt))
	if r.app.active != 1 || r.app.asked != 0 {
		t.Errorf("tab %d is shown and tab %d is answered to", r.app.active, r.app.asked)
	}
	r.press("esc")
	hidden := effect.Work(func(context.Context) any { return effect.Toggled{Key: "project"} })
	r.run(r.app.carryOut(0, hidden))
	r.Sees("PROJECT")
	r.press("1")
	r.SeesNot("PROJECT")
}
