package tab

import (
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
)

func TestTruncatedPasteWarns(t *testing.T) {
	t.Parallel()
	e := NewEntry()
	e.Focus()
	paste := func(n int) effect.Effect { return e.Take(tea.PasteMsg{Content: strings.Repeat("é", n)}) }
	for n, told := range []bool{paste(maxEntry-1) != nil, paste(1) != nil, paste(1) != nil, paste(8<<20) != nil} {
		if want := n >= 2; told != want {
			t.Errorf("paste %d: warning: %v", n+1, told)
		}
	}
	e.Blur()
	if told := paste(8 << 20); told != nil {
		t.Errorf("a line without the focus warns: %v", told)
	}
}

// This test measures allocations, so it must not run in parallel.
func TestHugePasteTakesLittleMemory(t *testing.T) {
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
			t.Errorf("%s: the line has %d bytes", name, len(value))
		}
	}
}
