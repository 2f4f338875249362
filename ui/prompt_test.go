package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestPromptReplacesOrEditsLastValue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		keys []string
		want string
	}{
		{"unchanged", []string{"enter"}, "Buy 500 t"},
		{"typed over", []string{"2", "0", "enter"}, "Buy 20 t"},
		{"edited at its end", []string{"backspace", "enter"}, "Buy 50 t"},
		{"edited in the middle", []string{"left", "1", "enter"}, "Buy 5,010 t"},
		{"typed over once", []string{"2", "backspace", "7", "5", "enter"}, "Buy 75 t"},
	} {
		r := ready(t)
		r.press("b", "5", "0", "0", "enter", "b")
		r.press(test.keys...)
		r.Sees(test.want)
		if t.Failed() {
			t.Fatal(test.name)
		}
	}
}

func TestPasteReplacesLastValueOfPrompt(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.press("b", "5", "0", "0", "enter", "b")
	r.send(tea.PasteMsg{Content: "40"})
	r.press("enter")
	r.Sees("Buy 40 t")
}

func TestRejectedPromptChangesNothing(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.press("b", "a", "b", "c", "enter")
	r.Sees("Enter a quantity in tonnes", "SELL ORDER", "unchanged since")
	r.SeesNot("Buy 0 t")
	r.press("esc", "b", "7", "enter", "b", "x", "enter", "esc")
	r.Sees("Buy 7 t")
}

func TestPromptErrorIsNotCut(t *testing.T) {
	t.Parallel()
	r := ready(t)
	r.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	r.press("a", "c", "h", "e", "a", "p", "enter")
	r.Sees(`"cheap" is no rule`, `"price < 5"`, `"500 tonnes"`)
}
