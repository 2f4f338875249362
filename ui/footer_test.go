package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	must "tonne/model/musttest"
	"tonne/ui/tab"
)

func (r *robot) hints() string {
	lines := strings.Split(r.Text(), "\n")
	return lines[len(lines)-1]
}

func TestFooterDropsWholeCounts(t *testing.T) {
	t.Parallel()
	const status = "page 1/7 · 1–10 of 67 · trades: BUY · non-empty wallets · 51 projects"
	for width, want := range map[int]string{160: status, 100: "page 1/7 · 1–10 of 67 · trades: BUY", 80: "page 1/7 · 1–10 of 67 · trades: BUY", 60: "page 1/7 · 1–10 of 67"} {
		r := settled(t, width, 24)
		r.ShowInventory()
		r.app.infos[1].Status = status
		_, footer, _ := strings.Cut(ansi.Strip(r.app.drawFooter()), "\n")
		said, _, _ := strings.Cut(strings.TrimSpace(footer), "  ")
		must.Equal(t, said, want, width)
	}
	for room, want := range map[int]string{
		51: "1–9 of 51 · 51 projects · ⚠ 2 values not readable", 50: "1–9 of 51 · 51 projects · ⚠ 2 values not readable", 48: "1–9 of 51 · ⚠ 2 values not readable",
		34: "1–9 of 51", 3: "1–9 of 51",
	} {
		must.Equal(t, tab.FewerParts("1–9 of 51 · 51 projects · ⚠ 2 values not readable", room), want, room)
	}
}
