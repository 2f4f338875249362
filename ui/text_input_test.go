package ui

import (
	"context"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api/audit"
	"tonne/model/statement"
)

func TestCutPasteIsReportedByEveryInput(t *testing.T) {
	t.Parallel()
	for name, way := range map[string][]string{
		"the filter of the market":    {"1", "/"},
		"the filter of the inventory": {"2", "/"},
		"the search of the ledger":    {"3", "/"},
		"the search of the details":   {"3", "enter", "/"},
		"the ids that are looked up":  {"3", "+"},
		"a label":                     {"3", "L"},
		"the path of evidence":        {"3", "e"},
		"the period of a statement":   {"3", "S", "p"},
		"the observation form":        {"3", "V"},
		"the palette":                 {":"},
		"the help":                    {"?"},
		"the prompt of a quote":       {"1", "b"},
		"the tonnes of a basket":      {"1", "B"},
		"the last line of a basket":   {"1", "B", "up"},
		"the retirement form":         {"1", "R"},
		"a reference":                 {"1", "R", "up"},
	} {
		r, _ := retiring(t, 120, 36, func(o *Options) {
			o.Who = "ada"
			o.WriteEvidence = func(context.Context, audit.File) (audit.Written, error) {
				return audit.Written{}, nil
			}
			o.ReadStatementData = func(context.Context) (statement.Source, error) {
				return statement.Source{}, context.Canceled
			}
		})
		r.showInventory()
		r.showRetirements()
		r.Press(way...)
		// Terminals without bracketed paste send a paste in pieces.
		for range 9 {
			r.send(tea.PasteMsg{Content: strings.Repeat("7", 120)})
		}
		if !strings.Contains(ansi.Strip(r.frame()), "A line has at most 1,000 characters. The end of the pasted text was dropped.") {
			t.Errorf("%s cuts the text without a message:\n%s", name, ansi.Strip(r.frame()))
		}
	}
}

func TestHiddenCharactersAreMarkedWhereverRepeated(t *testing.T) {
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
		r.Press(way...)
		r.send(tea.PasteMsg{Content: hidden})
		for _, stroke := range []string{"", "enter"} {
			if stroke != "" {
				r.Press(stroke)
			}
			frame := ansi.Strip(r.frame())
			if strings.ContainsFunc(frame, func(c rune) bool { return unicode.Is(unicode.Cf, c) || c == '\u034f' }) {
				t.Errorf("%s %s: the frame has the raw character:\n%+q", name, stroke, frame)
			}
			if stroke == "" && !strings.Contains(frame, "\ufffd") {
				t.Errorf("%s: no mark:\n%s", name, frame)
			}
		}
	}
}
