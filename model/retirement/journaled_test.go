package retirement_test

import (
	"strings"
	"testing"

	"tonne/model"
	"tonne/model/retirement"
)

func callFor(grams, held model.Grams, price model.PriceCents) retirement.Call {
	return retirement.Call{Quantity: grams, FromInventory: held, BuyTonnes: (grams - held).TonnesUp(), Price: price}
}

func TestCostIsKnownOnlyIfTheJournalHasAllCalls(t *testing.T) {
	t.Parallel()
	request := func(grams ...model.Grams) (r retirement.Request) {
		for _, g := range grams {
			r.Items = append(r.Items, retirement.Item{Quantity: g})
		}
		return r
	}
	for name, test := range map[string]struct {
		calls []retirement.Call
		of    retirement.Request
		cents model.Cents
		why   string
	}{
		"nothing in the journal": {nil, request(1e6), 0, "does not say which trade"},
		"all of it":              {[]retirement.Call{callFor(2_500_000, 0, 592), callFor(1_000_000, 0, 600)}, request(2_500_000, 1_000_000), 2080, ""},
		"a part of it":           {[]retirement.Call{callFor(1e6, 0, 592)}, request(1e6, 2e6), 0, "this machine retired 1 t of 3 t"},
		"from the wallet":        {[]retirement.Call{callFor(3e6, 1e6, 592)}, request(3e6), 0, "1 t came from the inventory"},
		"no price":               {[]retirement.Call{callFor(1e6, 0, model.UnknownPrice)}, request(1e6), 0, "cannot be read"},
		"no quantity":            {[]retirement.Call{callFor(1e6, 0, 592)}, request(model.UnknownGrams), 0, "cannot be read"},
	} {
		var calls []retirement.JournalEntry
		for _, call := range test.calls {
			calls = append(calls, retirement.JournalEntry{Call: call})
		}
		j := retirement.NewJournaled("", calls)
		cents, why := j.CostOf(test.of)
		if cents != test.cents || test.why == "" && why != "" || !strings.Contains(why, test.why) {
			t.Errorf("%s: %s, %q", name, cents, why)
		}
	}
}

func TestBatchIsThatOfAllCalls(t *testing.T) {
	t.Parallel()
	for want, batches := range map[string][]string{"a": {"a", "a"}, "": {"a", ""}, "b": {"b"}} {
		var calls []retirement.JournalEntry
		for _, batch := range batches {
			calls = append(calls, retirement.JournalEntry{Call: callFor(1e6, 0, 592), Batch: batch})
		}
		if got := retirement.NewJournaled("", calls).Batch; got != want {
			t.Errorf("batches %q: %q, want %q", batches, got, want)
		}
	}
}
