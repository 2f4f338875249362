package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tonne/api/session"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

func (r *robot) hints() string {
	lines := strings.Split(r.Text(), "\n")
	return lines[len(lines)-1]
}

func TestFooterShowsWhatEnterAndEscDo(t *testing.T) {
	t.Parallel()
	for _, look := range []struct {
		name      string
		keys      []string
		has, lack string
	}{
		{"the vintages", nil, "↵ book", "Esc"},
		{"a book", []string{"enter"}, "↵ table  Esc back", "book"},
		{"a project", []string{"i"}, "↵ focus  Esc back", "book"},
		{"a focused project", []string{"i", "enter"}, "↵ table  Esc back", "book"},
		{"changes", []string{"v", "enter"}, "↵ vintage  Esc back", "book"},
		{"no watched vintages", []string{"w", "enter"}, "↵ table  Esc back", "book"},
		{"the watch list", []string{"f", "w", "enter"}, "↵ vintage  Esc back", "book"},
		{"a filter", []string{"/", "w", "i", "n", "d", "enter"}, "↵ book  Esc back", "table"},
		{"watched vintages only", []string{"f", "F"}, "↵ book  Esc back", "table"},
		{"the wallets", []string{"2"}, "↵ trades", "Esc"},
		{"trades", []string{"2", "enter"}, "↵ table  Esc back", "trades"},
		{"filtered wallets", []string{"2", "/", "b", "a", "enter"}, "↵ trades  Esc back", "table"},
	} {
		for _, width := range []int{80, 120} {
			r := settled(t, width, 36)
			before, now := uitest.Market(0), uitest.Market(10)
			r.hear(session.MarketEvent{Status: uitest.Live(), Generation: 2, Market: now, Changes: now.Since(before)})
			r.showInventory()
			r.Press("1")
			r.Press(look.keys...)
			// Let messages expire.
			r.now = r.now.Add(toastTime)
			r.send(tick{})
			if hints := r.hints(); !strings.Contains(hints, look.has) || strings.Contains(hints, look.lack) {
				t.Errorf("%s at %d columns: footer %q, want %q and not %q", look.name, width, hints, look.has, look.lack)
			}
		}
	}
}

func TestFooterDropsWholeCounts(t *testing.T) {
	t.Parallel()
	const status = "page 1/7 · 1–10 of 67 · trades: BUY · non-empty wallets · 51 projects"
	for width, want := range map[int]string{160: status, 100: "page 1/7 · 1–10 of 67 · trades: BUY", 80: "page 1/7 · 1–10 of 67 · trades: BUY", 60: "page 1/7 · 1–10 of 67"} {
		r := settled(t, width, 24)
		r.showInventory()
		r.app.infos[1].Status = status
		_, footer, _ := strings.Cut(ansi.Strip(r.app.drawFooter()), "\n")
		if said, _, _ := strings.Cut(strings.TrimSpace(footer), "  "); said != want {
			t.Errorf("at %d columns: footer %q, want %q", width, said, want)
		}
	}
	for room, want := range map[int]string{
		51: "1–9 of 51 · 51 projects · ⚠ 2 values not readable", 50: "1–9 of 51 · 51 projects · ⚠ 2 values not readable", 48: "1–9 of 51 · ⚠ 2 values not readable",
		34: "1–9 of 51", 3: "1–9 of 51",
	} {
		if got := tab.FewerParts("1–9 of 51 · 51 projects · ⚠ 2 values not readable", room); got != want {
			t.Errorf("%d cells: %q, want %q", room, got, want)
		}
	}
}

func TestQClosesTheLowerPaneFirst(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"a book": {"enter"}, "a project": {"i"}, "a focused project": {"i", "enter"}, "a chart": {"c"},
		"trades": {"2", "enter"}, "details": {"3", "enter"},
	} {
		r := ready(t)
		r.showInventory()
		r.showRetirements()
		r.Press("1")
		r.Press(keys...)
		if hints := r.hints(); !strings.Contains(hints, "q close") || strings.Contains(hints, "q quit") {
			t.Errorf("%s: footer %q", name, hints)
		}
		r.Press("q")
		if hints := r.hints(); r.quit || !strings.Contains(hints, "q quit") {
			t.Errorf("%s: q ends the program: %v, footer %q", name, r.quit, hints)
		}
		if r.Press("q"); !r.quit {
			t.Errorf("%s: the next q does not end the program", name)
		}
	}
}
