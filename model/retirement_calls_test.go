package model_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

var november = time.Date(2026, 11, 22, 7, 30, 0, 0, time.UTC)

// fractionOf returns a call that is in a request, made the given days after the start.
func fractionOf(id, request string, grams model.Grams, days int) retirement.JournalEntry {
	return retirement.JournalEntry{
		ExternalID: id, Reference: "ref-" + id, RequestID: request, MadeAt: november.AddDate(0, 0, days),
		Call: retirement.Call{VintageID: "v", Quantity: grams, Price: 620},
	}
}

// gathering returns a request of fractions with items, made the given days after the start.
func gathering(id string, status retirement.Status, days int, items ...retirement.Item) *retirement.Request {
	r := &retirement.Request{ID: id, Status: status, Type: retirement.Fractionalised, VintageID: "v", CreatedAt: model.At(november.AddDate(0, 0, days)), Items: items}
	for _, i := range items {
		r.TotalQuantity += i.Quantity
	}
	return r
}

func itemOf(grams model.Grams, days int) retirement.Item {
	return retirement.Item{Quantity: grams, CreatedAt: model.At(november.AddDate(0, 0, days))}
}

// where formats the quantities of the calls in each request, and what moved.
func where(placed map[string][]retirement.JournalEntry) string {
	var lines []string
	for _, id := range slices.Sorted(maps.Keys(placed)) {
		j := retirement.NewJournaled(id, placed[id])
		line := fmt.Sprintf("%s %d", id, j.Quantity)
		if j.Unclear {
			line += " unclear"
		}
		if j.Came > 0 {
			line += fmt.Sprintf(" came %d from %s", j.Came, j.CameFrom)
		}
		if j.Moved > 0 {
			line += fmt.Sprintf(" moved %d to %s", j.Moved, j.MovedTo)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// on reads "number@day".
func on(text string) (grams model.Grams, day int) {
	_, _ = fmt.Sscanf(text, "%d@%d", &grams, &day)
	return grams, day
}

func TestFollowCallsThroughMonths(t *testing.T) {
	texttest.Table(t, "calls", func(text string) string {
		parts := strings.Split(text, " | ")
		var calls []retirement.JournalEntry
		for n, call := range strings.Fields(parts[0]) {
			where, quantity, _ := strings.Cut(call, ":")
			request, account, _ := strings.Cut(where, "/")
			grams, day := on(quantity)
			calls = append(calls, fractionOf(string(rune('a'+n)), request, grams, day))
			calls[n].Account = account
		}
		var answers []*retirement.Request
		for _, answer := range parts[1:] {
			words := strings.Fields(answer)
			id, day, _ := strings.Cut(words[0], "@")
			r := gathering(id, retirement.Status(words[1]), must.Get(strconv.Atoi(day)))
			for _, item := range words[2:] {
				grams, day := on(item)
				if r.TotalQuantity += grams; item[0] != '+' {
					r.Items = append(r.Items, itemOf(grams, day))
				}
			}
			answers = append(answers, r)
		}
		return where(retirement.FollowCalls(calls, answers))
	})
}

func TestDividedCallHasPartsWithCosts(t *testing.T) {
	mine := fractionOf("a", "R1", 2_500_000, 1)
	mine.Call.FromInventory = 500_000
	first := gathering("R1", retirement.Complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 1))
	second := gathering("R2", retirement.Open, 30, itemOf(818_089, 1))
	placed := retirement.FollowCalls([]retirement.JournalEntry{mine}, []*retirement.Request{first, second})
	if j := retirement.NewJournaled("R1", placed["R1"]); j.FromInventory != 500_000 {
		t.Errorf("%d g from the inventory", j.FromInventory)
	} else if _, why := j.CostOf(*first); why != "not known: this machine retired 1.681911 t of 2 t" {
		t.Error(why)
	}
	cents, why := retirement.NewJournaled("R2", placed["R2"]).CostOf(*second)
	must.Hold(t, why == "" && cents == 507, cents, why)
	must.Equal(t, retirement.NewJournaled("R2", placed["R2"]).Reference(), "ref-a")
	_, why = retirement.NewJournaled("", []retirement.JournalEntry{mine}).CostOf(*second)
	must.Hold(t, !strings.Contains(why, "of 0.8"), "the part is larger than the call", why)
	got := mine.Parts
	must.Hold(t, got == nil, "FollowCalls modified the call", got)
}

// The test simulates a service that divides items as the interface describes.
func TestPartsOfCallsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var calls []retirement.JournalEntry
		var answers []*retirement.Request
		var gathered []retirement.Item
		for month := range rapid.IntRange(1, 5).Draw(t, "months") {
			id := fmt.Sprint("R", month)
			for n := range rapid.IntRange(0, 4).Draw(t, "calls") {
				// No call is of whole tonnes.
				grams := model.Grams(2*rapid.Int64Range(0, 2_000_000).Draw(t, "grams") + 1)
				gathered = append(gathered, itemOf(grams, 30*month+n))
				if rapid.Bool().Draw(t, "ours") {
					calls = append(calls, fractionOf(fmt.Sprint(month, ".", n), id, grams, 30*month+n))
				}
			}
			r, items := gathering(id, retirement.Complete, 30*month, gathered...), gathered
			r.Items, gathered = nil, nil
			r.TotalQuantity -= r.TotalQuantity % tonne
			whole := r.TotalQuantity
			for _, i := range items {
				stays := min(whole, i.Quantity)
				whole -= stays
				if stays > 0 {
					r.Items = append(r.Items, retirement.Item{Quantity: stays, CreatedAt: i.CreatedAt})
				}
				if i.Quantity -= stays; i.Quantity > 0 {
					gathered = append(gathered, i)
				}
			}
			answers = append(answers, r)
		}
		placed := retirement.FollowCalls(calls, answers)
		for _, r := range answers {
			j := retirement.NewJournaled(r.ID, placed[r.ID])
			must.Hold(t, j.Unclear || j.Quantity <= r.TotalQuantity, r.ID, j.Quantity, r.TotalQuantity)
			for _, c := range placed[r.ID] {
				sum := model.Grams(0)
				for _, p := range c.Parts {
					sum += p.Quantity
				}
				must.Hold(t, len(c.Parts) == 0 || sum == c.Call.Quantity, c.ExternalID, c.Parts, c.Call.Quantity)
			}
		}
	})
}

func callFor(grams, held model.Grams, price model.PriceCents) retirement.Call {
	return retirement.Call{Quantity: grams, FromInventory: held, BuyTonnes: (grams - held).TonnesUp(), Price: price}
}

func TestCostIsKnownOnlyIfTheJournalHasAllCalls(t *testing.T) {
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
	for want, batches := range map[string][]string{"a": {"a", "a"}, "": {"a", ""}, "b": {"b"}} {
		var calls []retirement.JournalEntry
		for _, batch := range batches {
			calls = append(calls, retirement.JournalEntry{Call: callFor(1e6, 0, 592), Batch: batch})
		}
		must.Equal(t, retirement.NewJournaled("", calls).Batch, want, batches)
	}
}
