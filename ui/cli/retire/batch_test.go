package retire

import (
	"strings"
	"testing"

	"tonne/api/retire"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/style"
)

func TestPlanFits80Columns(t *testing.T) {
	t.Parallel()
	call := func(r retirement.Retiree) *retire.Call {
		return &retire.Call{Reference: "2026-Q4/flight-9", Plan: retirement.Call{
			VintageID: "004l7tv0ybkecc0ndy", Quantity: 311_500_000, BuyTonnes: 312, SellOrderID: "006p34dlmde3xkhxdw",
			Price: 2090, Cost: 652_080, Retiree: r,
		}}
	}
	ann := retirement.Retiree{Name: "Your Customer International Limited", TaxID: "T1", Country: "GB"}
	for name, calls := range map[string][]*retire.Call{
		"own behalf": {call(retirement.Retiree{})}, "customers": {call(ann), call(retirement.Retiree{})},
	} {
		var out strings.Builder
		must.Succeed(t, planGrid(rows(calls)).Write(&out, 80, false))
		for line := range strings.Lines(out.String()) {
			n := style.Width(strings.TrimSuffix(line, "\n"))
			must.Hold(t, n <= 80, name, n, "cells", line)
		}
		for _, want := range []string{"311.500000 t", "312 t", "006p34dlmde3xkhxdw", "$20.90", "$6,520.80"} {
			must.Hold(t, strings.Contains(out.String(), want), name, want, "is missing", out.String())
		}
		must.Equal(t, strings.Contains(out.String(), "FOR"), (name == "customers"), name, out.String())
	}
}

func TestLimitsAcceptDollarsOrCents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"0": "$0.00", "$7": "$7.00", "7.00": "$7.00", "$1,000.5": "$1,000.50",
		"700c": "$7.00"} {
		o := &retireOptions{maxPrice: text, maxCost: text}
		price, cost, err := o.limits()
		must.Hold(t, err == nil && price.FormatDollars() == want && cost.FormatDollars() == want,
			text, price, cost, err)
	}
}
