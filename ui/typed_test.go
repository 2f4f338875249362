package ui

import (
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

func TestWhatWasTypedIsShownWithItsMarksWhereverItIsRepeated(t *testing.T) {
	t.Parallel()
	const hidden = "tags \U000e0041\u202e\u034f"
	for name, way := range map[string][]string{
		"the filter of the market":    {"1", "/"},
		"the filter of the inventory": {"2", "/"},
		"the search of the ledger":    {"3", "/"},
		"the palette":                 {":"},
		"the help":                    {"?"},
		"the prompt of a quote":       {"1", "b"},
	} {
		r := ready(t)
		r.showInventory()
		r.press(way...)
		r.send(tea.PasteMsg{Content: hidden})
		for _, stroke := range []string{"", "enter"} {
			if stroke != "" {
				r.press(stroke)
			}
			frame := ansi.Strip(r.frame())
			if strings.ContainsFunc(frame, func(c rune) bool { return unicode.Is(unicode.Cf, c) || c == '\u034f' }) {
				t.Errorf("%s %s: the frame has it as it is:\n%+q", name, stroke, frame)
			}
			if stroke == "" && !strings.Contains(frame, "\ufffd") {
				t.Errorf("%s: nothing is marked:\n%s", name, frame)
			}
		}
	}
}
