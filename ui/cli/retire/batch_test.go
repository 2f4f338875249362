package retire

import (
	"strings"
	"testing"

	"tonne/api/retire"
	"tonne/model/retirement"
	"tonne/ui/style"
)

func TestBatchStripsApostropheOnlyBeforeFormula(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"'s-Hertogenbosch BV": "'s-Hertogenbosch BV", "'=Ann": "=Ann", "'+Ann": "+Ann", "'-Ann": "-Ann", "'@Ann": "@Ann", "'\tAnn": "Ann", "''=Ann": "''=Ann", "'": "'",
	} {
		lines, wrong := readLines(strings.NewReader(batchHeader + "\na,V1,1000000,,," + cell + ",T1,GB,\n"))
		if len(wrong) > 0 || lines[0].Request.Retiree.Name != want {
			t.Errorf("%q: %v, want %q (%v)", cell, lines[0].Request.Retiree.Name, want, wrong)
		}
	}
}

func TestPlanFits80Columns(t *testing.T) {
	t.Parallel()
	call := func(r retirement.Retiree) *retire.Call {
		return &retire.Call{Reference: "2026-Q4/flight-9", Plan: retirement.Call{
			VintageID: "004l7tv0ybkecc0ndy", Quantity: 311_500_000, BuyTonnes: 312, SellOrderID: "006p34dlmde3xkhxdw", Price: 2090, Cost: 652_080, Retiree: r,
		}}
	}
	ann := retirement.Retiree{Name: "Your Customer International Limited", TaxID: "T1", Country: "GB"}
	for name, calls := range map[string][]*retire.Call{
		"own behalf": {call(retirement.Retiree{})}, "customers": {call(ann), call(retirement.Retiree{})},
	} {
		var out strings.Builder
		if err := planGrid(rows(calls)).Write(&out, 80, false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := style.Width(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%s: %d cells: %s", name, n, line)
			}
		}
		for _, want := range []string{"311.500000 t", "312 t", "006p34dlmde3xkhxdw", "$20.90", "$6,520.80"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is missing:\n%s", name, want, out.String())
			}
		}
		if strings.Contains(out.String(), "FOR") != (name == "customers") {
			t.Errorf("%s:\n%s", name, out.String())
		}
	}
}

func TestLimitsAcceptDollarsOrWholeCents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"7": "$0.07", "$7": "$7.00", "7.00": "$7.00", "$1,000.5": "$1,000.50", "700": "$7.00"} {
		o := &retireOptions{maxPrice: text, maxCost: text}
		if price, cost, err := o.limits(); err != nil || price.FormatDollars() != want || cost.FormatDollars() != want {
			t.Errorf("%s: %s, %s, %v", text, price, cost, err)
		}
	}
}
