package keymap_test

import (
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/keymap"
)

func TestLabel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ stroke, label string }{
		{stroke: "x", label: "x"},
		{stroke: "g g", label: "gg"},
		{stroke: "enter", label: "↵"},
		{stroke: "ctrl+f", label: "Ctrl-f"},
		{stroke: "ctrl+shift+left", label: "Ctrl-Shift-←"},
		{stroke: "+", label: "+"},
		{stroke: "ctrl++", label: "Ctrl-+"},
		// A terminal may report text of several characters as one key.
		{stroke: "+x", label: "+x"},
		{stroke: "é+x", label: "é+x"},
	} {
		must.Equal(t, keymap.Label(test.stroke), test.label)
	}
}
