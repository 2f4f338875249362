package retirement_test

import (
	"fmt"
	"maps"
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
	r := &retirement.Request{ID: id, Status: status, Type: retirement.Fractionalised, VintageID: "v",
		CreatedAt: model.At(november.AddDate(0, 0, days)), Items: items}
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

// unlisted adds grams to a request that no item lists.
func unlisted(r *retirement.Request, grams model.Grams) *retirement.Request {
	r.TotalQuantity += grams
	return r
}

func TestFollowCallsThroughMonths(t *testing.T) {
	type call struct {
		request, account string
		grams            model.Grams
		day              int
	}
	for _, test := range []struct {
		calls   []call
		answers []*retirement.Request
		want    string
	}{
		// Not looked up, still open, and an older answer.
		{
			calls: []call{{request: "R1", grams: 2_500_000, day: 1}},
			want:  "R1 2500000",
		},
		{
			calls: []call{{request: "R1", grams: 2_500_000, day: 1}},
			answers: []*retirement.Request{
				gathering("R1", retirement.Open, 0, itemOf(318_089, 0), itemOf(2_500_000, 1)),
			},
			want: "R1 2500000",
		},
		{
			calls: []call{{request: "R1", grams: 2_500_000, day: 1}},
			answers: []*retirement.Request{
				gathering("R1", retirement.Open, 0, itemOf(318_089, 0)),
			},
			want: "R1 2500000",
		},
		// It moves to an unknown request, and to one that is known.
		{
			calls: []call{{request: "R1", grams: 2_500_000, day: 1}},
			answers: []*retirement.Request{
				gathering("R1", retirement.Complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 1)),
			},
			want: "R1 1681911 moved 818089 to",
		},
		{
			calls: []call{{request: "R1", grams: 2_500_000, day: 1}},
			answers: []*retirement.Request{
				gathering("R2", retirement.Open, 30, itemOf(818_089, 1), itemOf(40, 31)),
				gathering("R1", retirement.Complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 1)),
			},
			want: "R1 1681911 moved 818089 to R2; R2 818089 came 818089 from R1",
		},
		// It is divided twice.
		{
			calls: []call{{request: "R1", grams: 2_500_000, day: 1}, {request: "R2", grams: 300_000, day: 31}},
			answers: []*retirement.Request{
				gathering("R1", retirement.Complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 1)),
				gathering("R2", retirement.Complete, 30, itemOf(818_089, 1), itemOf(181_911, 31)),
				gathering("R3", retirement.Open, 60, itemOf(118_089, 31)),
			},
			want: "R1 1681911 moved 818089 to R2; R2 1000000 came 818089 from R1 moved 118089 to R3; R3 118089 came 118089 from R2",
		},
		// Less than a tonne.
		{
			calls: []call{{request: "R1", grams: 20, day: 1}},
			answers: []*retirement.Request{
				gathering("R1", retirement.NothingToProcess, 0),
				gathering("R2", retirement.Open, 30, itemOf(20, 1)),
			},
			want: "R1 0 moved 20 to R2; R2 20 came 20 from R1",
		},
		// An item of another machine.
		{
			calls: []call{{request: "R1", grams: 400_000, day: 10}},
			answers: []*retirement.Request{
				gathering("R1", retirement.Complete, 0, itemOf(700_000, 1), itemOf(300_000, 2)),
			},
			want: "R1 0 moved 400000 to",
		},
		// An item of one of two calls.
		{
			calls: []call{{request: "R1", grams: 500_000, day: 1}, {request: "R1", grams: 700_000, day: 1},
				{request: "R1", grams: 500_000, day: 1}},
			answers: []*retirement.Request{
				gathering("R1", retirement.Complete, 0, itemOf(500_000, 1), itemOf(500_000, 1)),
				gathering("R2", retirement.Open, 30, itemOf(200_000, 1), itemOf(500_000, 1)),
			},
			want: "R1 1700000 unclear",
		},
		// No items are listed.
		{
			calls: []call{{request: "R1", grams: 20, day: 1}},
			answers: []*retirement.Request{
				unlisted(gathering("R1", retirement.Complete, 0), 1_000_000),
			},
			want: "R1 20",
		},
		{
			calls: []call{{request: "R1", grams: 2_500_000, day: 1}},
			answers: []*retirement.Request{
				gathering("R1", retirement.Complete, 0),
			},
			want: "R1 2500000",
		},
		// Whole tonnes stay.
		{
			calls: []call{{request: "R1", grams: 3_000_000, day: 1}},
			answers: []*retirement.Request{
				gathering("R1", retirement.Complete, 0, itemOf(2_000_000, 1)),
			},
			want: "R1 3000000",
		},
		// One machine may retire for several tenants of a service. Each tenant has its own request for the month.
		{
			calls: []call{{request: "A1", grams: 2_500_000, day: 0, account: "a"},
				{request: "B1", grams: 818_089, day: 1, account: "b"}},
			answers: []*retirement.Request{
				gathering("A1", retirement.Complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 0)),
				gathering("B1", retirement.Open, 1, itemOf(818_089, 1)),
			},
			want: "A1 1681911 moved 818089 to ; B1 818089",
		},
		{
			calls: []call{{request: "A1", grams: 2_500_000, day: 0, account: "a"},
				{request: "B2", grams: 818_089, day: 31, account: "b"}},
			answers: []*retirement.Request{
				gathering("A1", retirement.Complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 0)),
				gathering("B2", retirement.Open, 30, itemOf(818_089, 31)),
			},
			want: "A1 1681911 moved 818089 to ; B2 818089",
		},
		// Of another machine in the same month.
		{
			calls: []call{{request: "A1", grams: 2_500_000, day: 0, account: "a"}},
			answers: []*retirement.Request{
				gathering("A1", retirement.Complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 0)),
				gathering("X1", retirement.Open, 1, itemOf(818_089, 1)),
			},
			want: "A1 1681911 moved 818089 to",
		},
		// Of the same tenant with more in the same month.
		{
			calls: []call{{request: "A1", grams: 2_500_000, day: 0, account: "a"},
				{request: "A2", grams: 20, day: 2, account: "a"}},
			answers: []*retirement.Request{
				gathering("A1", retirement.Complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 0)),
				gathering("A2", retirement.Open, 1, itemOf(818_089, 0), itemOf(20, 2)),
			},
			want: "A1 1681911 moved 818089 to A2; A2 818109 came 818089 from A1",
		},
		// Of the same tenant by another key.
		{
			calls: []call{{request: "A1", grams: 2_500_000, day: 0, account: "a"},
				{request: "A2", grams: 300_000, day: 31, account: "b"}, {request: "A2", grams: 20, day: 31, account: "a"}},
			answers: []*retirement.Request{
				gathering("A1", retirement.Complete, 0, itemOf(318_089, 0), itemOf(1_681_911, 0)),
				gathering("A2", retirement.Open, 30, itemOf(818_089, 0), itemOf(300_000, 31), itemOf(20, 31)),
			},
			want: "A1 1681911 moved 818089 to A2; A2 1118109 came 818089 from A1",
		},
	} {
		var calls []retirement.JournalEntry
		for n, c := range test.calls {
			calls = append(calls, fractionOf(string(rune('a'+n)), c.request, c.grams, c.day))
			calls[n].Account = c.account
		}
		must.Equal(t, strings.TrimSpace(where(retirement.FollowCalls(calls, test.answers))), test.want, test.calls)
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
		"all of it": {[]retirement.Call{callFor(2_500_000, 0, 592), callFor(1_000_000, 0, 600)},
			request(2_500_000, 1_000_000), 2080, ""},
		"a part of it":    {[]retirement.Call{callFor(1e6, 0, 592)}, request(1e6, 2e6), 0, "this machine retired 1 t of 3 t"},
		"from the wallet": {[]retirement.Call{callFor(3e6, 1e6, 592)}, request(3e6), 0, "1 t came from the inventory"},
		"no price":        {[]retirement.Call{callFor(1e6, 0, model.UnknownPrice)}, request(1e6), 0, "cannot be read"},
		"no quantity":     {[]retirement.Call{callFor(1e6, 0, 592)}, request(model.UnknownGrams), 0, "cannot be read"},
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
