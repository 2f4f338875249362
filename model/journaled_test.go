package model_test

import (
	"slices"
	"strings"
	"testing"

	"tonne/model"
)

func callFor(grams, held model.Grams, price model.PriceCents) model.RetireCall {
	return model.RetireCall{Quantity: grams, FromInventory: held, BuyTonnes: (grams - held).TonnesUp(), Price: price}
}

func TestTheCostOfARetirementIsExactOnlyWhereTheJournalMadeAllOfIt(t *testing.T) {
	t.Parallel()
	request := func(grams ...model.Grams) (r model.Retirement) {
		for _, g := range grams {
			r.Items = append(r.Items, model.RetirementItem{Quantity: g})
		}
		return r
	}
	for name, test := range map[string]struct {
		calls []model.RetireCall
		of    model.Retirement
		cents model.Cents
		why   string
	}{
		"nothing in the journal": {nil, request(1e6), 0, "does not say which trade"},
		"all of it":              {[]model.RetireCall{callFor(2_500_000, 0, 592), callFor(1_000_000, 0, 600)}, request(2_500_000, 1_000_000), 2080, ""},
		"a part of it":           {[]model.RetireCall{callFor(1e6, 0, 592)}, request(1e6, 2e6), 0, "this machine retired 1 t of 3 t"},
		"from the wallet":        {[]model.RetireCall{callFor(3e6, 1e6, 592)}, request(3e6), 0, "1 t came from the inventory"},
		"no price":               {[]model.RetireCall{callFor(1e6, 0, model.UnknownPrice)}, request(1e6), 0, "cannot be read"},
		"no quantity":            {[]model.RetireCall{callFor(1e6, 0, 592)}, request(model.UnknownGrams), 0, "cannot be read"},
	} {
		var calls []model.JournalEntry
		for _, call := range test.calls {
			calls = append(calls, model.JournalEntry{Call: call})
		}
		j := model.NewJournaled("", calls)
		cents, why := j.CostOf(test.of)
		if cents != test.cents || test.why == "" && why != "" || !strings.Contains(why, test.why) {
			t.Errorf("%s: %s, %q", name, cents, why)
		}
	}
}

func TestEvidenceSaysWhatARequestWasForAndWhatItsCostStandsOn(t *testing.T) {
	t.Parallel()
	calls := []model.JournalEntry{{Call: callFor(2e6, 0, 592), Reference: "PO-4711"}, {Call: callFor(1e6, 0, 592), Reference: "PO-4711"}}
	source := model.EvidenceSource{Retirement: model.Retirement{ID: "00m1", Status: model.Complete, Items: []model.RetirementItem{{Quantity: 3e6}}}, Calls: calls}
	cell := func(name string) string {
		return model.Evidence(source, false)[0][slices.Index(model.EvidenceColumns(), name)]
	}
	if got := cell("reference") + ", " + cell("cost_cents") + ", " + cell("cost_basis"); got != "PO-4711, 1776, exact: every call stands in the journal with its price" {
		t.Error(got)
	}
	source.Calls = []model.JournalEntry{{Call: callFor(1_234_567, 0, 484)}}
	source.Retirement.Items[0].Quantity = 1_234_567
	if got := cell("cost_cents") + ", " + cell("cost_basis"); got != "598, rounded from 597.530428 cents: every call stands in the journal with its price" {
		t.Error(got)
	}
	source.Calls = nil
	if got := cell("reference") + cell("cost_cents"); got != "" || !strings.HasPrefix(cell("cost_basis"), "not known: ") {
		t.Errorf("%q, %q", got, cell("cost_basis"))
	}
}
