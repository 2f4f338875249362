package cli

import (
	"strings"
	"testing"
)

func TestMarketWatchAppliesFilter(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]int{"": 1, "paid country:ethiopia ask<6.15": 1, "ask>6.15": 0, "type:wind": 0, "!paid": 0} {
		inBubble(t, func(t *testing.T) {
			r, recorded := recordFallingPrice(t, "market", "--watch", "-o", "jsonl", "--filter", expr)
			if got := strings.Count(r.stdout, `"repriced"`); got != want || recorded != "[620 610]" {
				t.Errorf("%q: %d changes, recorded %s\n%s", expr, got, recorded, r.stdout)
			}
		})
	}
}
