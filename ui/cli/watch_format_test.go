package cli

import (
	"strings"
	"testing"
)

func TestWatchFormatsChangesLikeDashboard(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		const bale = `=Bale "Mountains", ET 2019  `
		for _, c := range []struct{ path, from, to, command, want string }{
			{"/api/market", `"620"`, `"610"`, "market", "  cheaper  " + bale + "400 t at $6.20 → 400 t at $6.10\n"},
			{"/api/market", `"620"`, `"630"`, "market", "  dearer   " + bale + "400 t at $6.20 → 400 t at $6.30\n"},
			{"/api/market", `"400000000"`, `"300000000"`, "market", "  resized  " + bale + "400 t at $6.20 → 300 t at $6.20\n"},
			{"/api/market", `"S2"`, `"S9"`, "market", "  new      " + bale + "400 t at $6.20\n"},
			{"/api/market", `"S2"`, `"S9"`, "market", "  gone     " + bale + "400 t at $6.20\n"},
			{"/api/inventory", `"999980"`, `"999990"`, "inventory", "  balance  " + bale + "CAAS  0.999980 t → 0.999990 t\n"},
			{"/api/inventory", `"710"`, `"720"`, "inventory", "  trade    " + bale + "CAAS  BUY 1 t at $7.20\n"},
		} {
			if got := watchOnce(t, c.path, c.from, c.to, c.command, "--watch"); !strings.Contains(got, c.want) {
				t.Errorf("%s: want %q in\n%s", c.command, c.want, got)
			}
		}
	})
}

func TestWatchNamesVintageByYearWithoutDetails(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		got := watchOnce(t, "/api/market", `"115"`, `"120"`, "market", "--watch")
		if !strings.Contains(got, "  dearer   P2 2021  ") {
			t.Errorf("%s", got)
		}
	})
}
