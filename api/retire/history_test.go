package retire

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"tonne/api/wire"
	"tonne/model/retirement"
)

// ids makes the ids of the calls of a plan.
type ids struct {
	Line
	n int
}

func idsOf(origin, reference string, r retirement.RetireRequest, made ...Call) *ids {
	return &ids{Line: Line{Reference: reference, Request: r, Made: made, origin: origin}}
}

func (i *ids) next(c retirement.Call) string { return i.externalID(c, &i.n) }

func TestAnExternalIDFollowsFromWhatIsRetiredAndItsReference(t *testing.T) {
	t.Parallel()
	call := retirement.Call{VintageID: "004a", Quantity: 20}
	wish := retirement.RetireRequest{VintageID: "004a", Quantity: 45}
	seen := make(map[string]string)
	first := idsOf("https://a", "r", wish)
	for n, id := range []string{first.next(call), first.next(call)} {
		seen[id] = "two calls"
		again := idsOf("https://a", "r", wish)
		for range n {
			again.next(call)
		}
		if got := again.next(retirement.Call{VintageID: "004a", Quantity: 7, SellOrderID: "006z"}); got != id {
			t.Errorf("call %d of another plan: %s, not %s", n, got, id)
		}
	}
	for name, other := range map[string]*ids{
		"base URL": idsOf("https://b", "r", wish), "reference": idsOf("https://a", "s", wish),
		"vintage":  idsOf("https://a", "r", retirement.RetireRequest{VintageID: "004b", Quantity: 45}),
		"quantity": idsOf("https://a", "r", retirement.RetireRequest{VintageID: "004a", Quantity: 46}),
		"none":     idsOf("https://a", "", wish), "none again": idsOf("https://a", "", wish),
	} {
		id := other.next(call)
		if seen[id] != "" {
			t.Errorf("another %s has the id of %s", name, seen[id])
		}
		seen[id] = name
	}
	if len(seen) != 8 {
		t.Errorf("%d ids differ", len(seen))
	}
}

// An id has one body for ever. A call that was confirmed and never sent
// keeps its id, so that a lost journal does not hide it.
func TestAnExternalIDOfTheJournalIsUsedAgainOnlyForTheSameCallThatWasNeverSent(t *testing.T) {
	t.Parallel()
	wish := retirement.RetireRequest{VintageID: "004a", Quantity: 45}
	call := retirement.Call{VintageID: "004a", Quantity: 20, SellOrderID: "006a", Price: 600, BuyTonnes: 1}
	id := idsOf("https://a", "r", wish).next(call)
	made := func(change func(*Call)) Call {
		c := Call{ExternalID: id, Reference: "r", Request: RequestText(wish), Body: wire.AppendRetireCall(nil, id, call), State: Prepared}
		change(&c)
		return c
	}
	for name, test := range map[string]struct {
		change func(*Call)
		same   bool
	}{
		"never sent":       {func(*Call) {}, true},
		"given up":         {func(c *Call) { c.GivenUp = true }, false},
		"sent":             {func(c *Call) { c.State = Sent }, false},
		"refused":          {func(c *Call) { c.State = Refused }, false},
		"another body":     {func(c *Call) { c.Body = append(c.Body, ' ') }, false},
		"another customer": {func(c *Call) { c.Request += "x" }, false},
	} {
		if got := idsOf("https://a", "r", wish, made(test.change)).next(call); (got == id) != test.same {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// shelf is a ledger.
type shelf struct {
	requests []string
	kept     map[string][]string
}

func (s *shelf) WithReference(context.Context, string) ([]string, error) { return s.requests, nil }

func (s *shelf) Remember(_ context.Context, _ []string, references map[string][]string) error {
	s.kept = references
	return nil
}

func TestADeskStopsForARequestOfTheLedgerThatTheJournalDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{RequestID: "00m1"}, nil }}
	d := newWorkflow(t, s)
	ledger := &shelf{requests: []string{"00m1"}}
	d.Ledger = ledger
	if h, err := d.Recall(t.Context(), "flight-9"); !errors.Is(err, ErrElsewhere) || !strings.Contains(err.Error(), "00m1") {
		t.Errorf("%v, %v", h, err)
	}
	if h, err := d.Recall(t.Context(), ""); err != nil || h.Made != nil {
		t.Errorf("without a reference: %v, %v", h, err)
	}
	d.Account.Profile = "another tenant"
	sent, err := d.SendNew(t.Context(), call("x-1", "flight-9"), nil)
	if err = errors.Join(err, d.Remember(t.Context(), []*Call{&sent})); err != nil || !slices.Equal(ledger.kept["00m1"], []string{"flight-9"}) {
		t.Errorf("%v, the ledger has %v", err, ledger.kept)
	}
	d.Account.Profile = account.Profile
	if h, err := d.Recall(t.Context(), "flight-9"); err != nil || len(h.Made) != 0 {
		t.Errorf("that another profile made: %v, %v", h, err)
	}
}

// The service had the call before this journal sent it first.
func TestACallThatTheJournalDidNotMakeStopsItsPlan(t *testing.T) {
	t.Parallel()
	s := &shop{answers: func(int) (wire.RetireAccepted, error) {
		return wire.RetireAccepted{RequestID: "00m1", Replayed: true}, nil
	}}
	d := newWorkflow(t, s)
	o, err := d.SendNew(t.Context(), call("x-1", "flight-9"), nil)
	if err != nil || !o.Elsewhere {
		t.Errorf("%+v, %v", o, err)
	}
	h, err := d.Recall(t.Context(), "flight-9")
	if err != nil || len(h.Made) != 1 {
		t.Fatalf("%v, %v", h, err)
	}
	request := retirement.RetireRequest{VintageID: "004a", Quantity: 20}
	h.Made[0].Request = RequestText(request)
	if err := (&Line{Reference: "flight-9", Request: request}).recall(h); !errors.Is(err, ErrElsewhere) || !strings.Contains(err.Error(), "00m1") {
		t.Errorf("the same once more: %v", err)
	}
	request.Quantity++
	if err := (&Line{Reference: "flight-9", Request: request}).recall(h); err != nil {
		t.Errorf("another request: %v", err)
	}
}

// Two programs that plan the same derive the same ids, and send each call once.
func TestAPlanThatWasConfirmedIsConfirmedAgainWithItsIDs(t *testing.T) {
	t.Parallel()
	s := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{RequestID: "00m1"}, nil }}
	d := newWorkflow(t, s)
	plan := Confirmed{Calls: []Call{call("x-1", "flight-9"), call("x-2", "flight-9")}}
	if err := d.Confirm(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	plan.Known, plan.Replaced = 2, []string{"x-1", "x-2"}
	if err := d.Confirm(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	for _, o := range plan.Calls {
		if got, err := d.SendNew(t.Context(), o, nil); err != nil || got.State != Done {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if len(s.bodies) != 2 {
		t.Errorf("%d sent", len(s.bodies))
	}
}
