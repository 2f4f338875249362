package tab

import (
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// It runs alone: it counts what is allocated.
func TestMegabytesThatArePastedIntoALineAreNotLookedAt(t *testing.T) {
	for name, text := range map[string]string{
		"letters":        strings.Repeat("é", 8<<20),
		"breaks":         strings.Repeat("\n", 16<<20),
		"broken letters": strings.Repeat("\xff", 16<<20),
	} {
		e := NewEntry()
		e.Focus()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		e.Take(tea.PasteMsg{Content: text})
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
			t.Errorf("%s: %d MiB", name, took>>20)
		}
		if value := e.Value(); name == "letters" && value != strings.Repeat("é", maxEntry) {
			t.Errorf("%s: %d bytes arrived", name, len(value))
		}
	}
}
