package tab

import (
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	must "tonne/model/musttest"
	"tonne/ui/effect"
)

func TestTruncatedPasteWarns(t *testing.T) {
	t.Parallel()
	e := NewEntry()
	e.Focus()
	paste := func(n int) effect.Effect { return e.Take(tea.PasteMsg{Content: strings.Repeat("é", n)}) }
	for n, told := range []bool{paste(maxEntry-1) != nil, paste(1) != nil, paste(1) != nil, paste(8<<20) != nil} {
		must.Equal(t, told, n >= 2, "paste", n+1)
	}
	e.Blur()
	told := paste(8 << 20)
	must.Hold(t, told == nil, "a line without the focus warns", told)
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
		took := after.TotalAlloc - before.TotalAlloc
		must.Hold(t, took <= 4<<20, name, took>>20)
		value := e.Value()
		must.Hold(t, name != "letters" || value == strings.Repeat("é", maxEntry), name, len(value))
	}
}
