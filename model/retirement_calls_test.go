package model_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	must "tonne/model/musttest"
	"tonne/model/retirement"
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

func TestFollowCallsThroughMonths(t *testing.T) {
	const open, complete, nothing = retirement.Open, retirement.Complete, retirement.NothingToProcess
	mine := fractionOf("a", "R1", 2_500_000, 1)
	for name, tt := range map[string]struct {
		calls   []retirement.JournalEntry
		answers []*retirement.Request
		want    string
	}{
		"not looked up": {[]retirement.JournalEntry{mine}, nil, "R1 2500000"},
		"still open":    {[]retirement.JournalEntry{mine}, []*retirement.Request{gathering("R1", open, 0, itemOf(318_089, 0), itemOf(2_500_000, 1))}, "R1 2500000"},
		"older answer":  {[]retirement.JournalEntry{mine}, []*retirement.Request{gathering("R1", open, 0, itemOf(318_089, 0))}, "R1 2500000"},
		"moved to an unknown request": {[]retirement.JournalEntry{mine}, []*retirement.Request{gathering("R1", complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 1))},
			"R1 1681911 moved 818089 to "},
		"moved on": {[]retirement.JournalEntry{mine}, []*retirement.Request{
			gathering("R2", open, 30, itemOf(818_089, 1), itemOf(40, 31)), gathering("R1", complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 1)),
		}, "R1 1681911 moved 818089 to R2; R2 818089 came 818089 from R1"},
		"divided twice": {[]retirement.JournalEntry{mine, fractionOf("b", "R2", 300_000, 31)}, []*retirement.Request{
			gathering("R1", complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 1)),
			gathering("R2", complete, 30, itemOf(818_089, 1), itemOf(181_911, 31)),
			gathering("R3", open, 60, itemOf(118_089, 31)),
		}, "R1 1681911 moved 818089 to R2; R2 1000000 came 818089 from R1 moved 118089 to R3; R3 118089 came 118089 from R2"},
		"less than a tonne": {[]retirement.JournalEntry{fractionOf("a", "R1", 20, 1)}, []*retirement.Request{gathering("R1", nothing, 0), gathering("R2", open, 30, itemOf(20, 1))},
			"R1 0 moved 20 to R2; R2 20 came 20 from R1"},
		"item of another machine": {[]retirement.JournalEntry{fractionOf("a", "R1", 400_000, 10)},
			[]*retirement.Request{gathering("R1", complete, 0, itemOf(700_000, 1), itemOf(300_000, 2))}, "R1 0 moved 400000 to "},
		"item of one of two calls": {
			[]retirement.JournalEntry{fractionOf("a", "R1", 500_000, 1), fractionOf("b", "R1", 700_000, 1), fractionOf("c", "R1", 500_000, 1)},
			[]*retirement.Request{gathering("R1", complete, 0, itemOf(500_000, 1), itemOf(500_000, 1)), gathering("R2", open, 30, itemOf(200_000, 1), itemOf(500_000, 1))},
			"R1 1700000 unclear",
		},
		"no items listed": {[]retirement.JournalEntry{fractionOf("a", "R1", 20, 1)},
			[]*retirement.Request{{ID: "R1", Status: complete, Type: retirement.Fractionalised, VintageID: "v", TotalQuantity: 1_000_000}}, "R1 20"},
		"no items in a complete request": {[]retirement.JournalEntry{mine}, []*retirement.Request{gathering("R1", complete, 0)}, "R1 2500000"},
		"whole tonnes stay":              {[]retirement.JournalEntry{fractionOf("a", "R1", 3_000_000, 1)}, []*retirement.Request{gathering("R1", complete, 0, itemOf(2_000_000, 1))}, "R1 3000000"},
	} {
		must.Equal(t, where(retirement.FollowCalls(tt.calls, tt.answers)), tt.want, name)
	}
}

// One machine may retire for several tenants of a service. Each tenant has its own
// request for the month.
func TestFractionsStayWithTheirTenant(t *testing.T) {
	of := func(account string, c retirement.JournalEntry) retirement.JournalEntry {
		c.Account = account
		return c
	}
	const open, complete = retirement.Open, retirement.Complete
	mine := of("a", fractionOf("a", "A1", 2_500_000, 0))
	a1 := gathering("A1", complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 0))
	for name, tt := range map[string]struct {
		calls   []retirement.JournalEntry
		answers []*retirement.Request
		want    string
	}{
		"of another tenant in the same month": {[]retirement.JournalEntry{mine, of("b", fractionOf("b", "B1", 818_089, 1))},
			[]*retirement.Request{a1, gathering("B1", open, 1, itemOf(818_089, 1))}, "A1 1681911 moved 818089 to ; B1 818089"},
		"of another tenant in the next month": {[]retirement.JournalEntry{mine, of("b", fractionOf("b", "B2", 818_089, 31))},
			[]*retirement.Request{a1, gathering("B2", open, 30, itemOf(818_089, 31))}, "A1 1681911 moved 818089 to ; B2 818089"},
		"of another machine in the same month": {[]retirement.JournalEntry{mine},
			[]*retirement.Request{a1, gathering("X1", open, 1, itemOf(818_089, 1))}, "A1 1681911 moved 818089 to "},
		"of the same tenant with more in the same month": {[]retirement.JournalEntry{mine, of("a", fractionOf("b", "A2", 20, 2))},
			[]*retirement.Request{a1, gathering("A2", open, 1, itemOf(818_089, 0), itemOf(20, 2))}, "A1 1681911 moved 818089 to A2; A2 818109 came 818089 from A1"},
		"of the same tenant by another key": {[]retirement.JournalEntry{mine, of("b", fractionOf("b", "A2", 300_000, 31)), of("a", fractionOf("c", "A2", 20, 31))},
			[]*retirement.Request{a1, gathering("A2", open, 30, itemOf(818_089, 0), itemOf(300_000, 31), itemOf(20, 31))},
			"A1 1681911 moved 818089 to A2; A2 1118109 came 818089 from A1"},
	} {
		must.Equal(t, where(retirement.FollowCalls(tt.calls, tt.answers)), tt.want, name)
	}
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
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var calls []retirement.JournalEntry
		var answers []*retirement.Request
		var carry []retirement.Item
		months := rapid.IntRange(1, 5).Draw(t, "months")
		for month := range months {
			id := fmt.Sprint("R", month)
			r := gathering(id, retirement.Complete, 30*month, carry...)
			carry = nil
			for n := range rapid.IntRange(0, 4).Draw(t, "calls") {
				// Two calls with the same quantity are indistinguishable.
				grams := model.Grams(chance.Int64N(4_000_000))
				if grams.IsWhole() {
					grams++
				}
				day := 30*month + n
				r.Items = append(r.Items, itemOf(grams, day))
				r.TotalQuantity += grams
				if rapid.Bool().Draw(t, "ours") {
					calls = append(calls, fractionOf(fmt.Sprint(month, ".", n), id, grams, day))
				}
			}
			if month == months-1 {
				r.Status = retirement.Open
				answers = append(answers, r)
				break
			}
			whole := r.TotalQuantity - r.TotalQuantity%model.GramsPerTonne
			before := model.Grams(0)
			var kept []retirement.Item
			for _, i := range r.Items {
				stays := min(max(whole-before, 0), i.Quantity)
				before += i.Quantity
				if stays > 0 {
					kept = append(kept, retirement.Item{Quantity: stays, CreatedAt: i.CreatedAt})
				}
				if stays < i.Quantity {
					carry = append(carry, retirement.Item{Quantity: i.Quantity - stays, CreatedAt: i.CreatedAt})
				}
			}
			r.Items, r.TotalQuantity = kept, whole
			if whole == 0 {
				r.Status = retirement.NothingToProcess
			}
			answers = append(answers, r)
		}
		placed := retirement.FollowCalls(calls, answers)
		for _, r := range answers {
			j := retirement.NewJournaled(r.ID, placed[r.ID])
			must.Hold(t, j.Unclear || j.Quantity <= r.TotalQuantity, r.ID, j.Quantity, r.TotalQuantity)
		}
		for _, of := range placed {
			for _, c := range of {
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
