package table

import (
	"testing"

	must "tonne/model/musttest"
)

func TestNumbersAreCopiedWithoutFormatting(t *testing.T) {
	t.Parallel()
	for shown, want := range map[string]string{
		"★ $1.96": "1.96", "▲ +3.6%": "3.6%", "▼ −4.2%": "-4.2%", "4,500 t": "4500", "25,900.400000 t": "25900.400000",
		"1,000,000 g": "1000000", "−$3.71": "-3.71", "+$21.09": "21.09", "0.0%": "0.0%", "2023": "2023", "—": "", "": "",
		"006quq69iloxduks5l": "006quq69iloxduks5l", "Bale Mountains": "Bale Mountains", "25 Jan 2026 12:02:09 UTC": "25 Jan 2026 12:02:09 UTC",
		"4 more": "4 more", "$": "$", "1 t 2": "1 t 2", "REDD+": "REDD+", "?": "?", "-$3.71": "-3.71",
	} {
		must.Equal(t, bare(shown), want, shown)
	}
}

func TestCellsAreCopiedWithoutSymbols(t *testing.T) {
	t.Parallel()
	for shown, want := range map[string]string{
		"★ $1.96": "$1.96", "▲ +3.6%": "+3.6%", "▼ −4.2%": "−4.2%", "4,500 t": "4,500 t", "—": "", "Bale Mountains": "Bale Mountains",
	} {
		must.Equal(t, unmarked(shown), want, shown)
	}
}
