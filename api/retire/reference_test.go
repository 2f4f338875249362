package retire

import (
	"context"
	"errors"
	"testing"

	"tonne/api/retire/journal"
	"tonne/api/wire"
	"tonne/model"
)

func idsOf(base, reference string, w model.RetireRequest, made ...journal.Call) *IDs {
	return NewIDs(base, reference, WishText(w), w, made)
}

func TestAnExternalIDFollowsFromWhatIsRetiredAndItsReference(t *testing.T) {
	t.Parallel()
	call := model.RetireCall{VintageID: "004a", Quantity: 20}
	wish := model.RetireRequest{VintageID: "004a", Quantity: 45}
	seen := make(map[string]string)
	first := idsOf("https://a", "r", wish)
	for n, id := range []string{first.Next(call), first.Next(call)} {
		seen[id] = "two calls"
		again := idsOf("https://a", "r", wish)
		for range n {
			again.Next(call)
		}
		if got := again.Next(model.RetireCall{VintageID: "004a", Quantity: 7, SellOrderID: "006z"}); got != id {
			t.Errorf("call %d of another plan: %s, not %s", n, got, id)
		}
	}
	for name, other := range map[string]*IDs{
		"base URL": idsOf("https://b", "r", wish), "reference": idsOf("https://a", "s", wish),
		"vintage":  idsOf("https://a", "r", model.RetireRequest{VintageID: "004b", Quantity: 45}),
		"quantity": idsOf("https://a", "r", model.RetireRequest{VintageID: "004a", Quantity: 46}),
		"none":     idsOf("https://a", "", wish), "none again": idsOf("https://a", "", wish),
	} {
		id := other.Next(call)
		if seen[id] != "" {
			t.Errorf("another %s has the id of %s", name, seen[id])
		}
		seen[id] = name
	}
	if len(seen) != 8 {
		t.Errorf("%d ids differ", len(seen))
	}
}

// An id stands for one body for good. A call that was confirmed and never sent
// keeps its id, so that a lost journal does not hide it.
func TestAnExternalIDOfTheJournalIsUsedAgainOnlyForTheSameCallThatWasNeverSent(t *testing.T) {
	t.Parallel()
	wish := model.RetireRequest{VintageID: "004a", Quantity: 45}
	call := model.RetireCall{VintageID: "004a", Quantity: 20, SellOrderID: "006a", Price: 600, BuyTonnes: 1}
	id := idsOf("https://a", "r", wish).Next(call)
	made := func(change func(*journal.Call)) journal.Call {
		c := journal.Call{ExternalID: id, Reference: "r", Wish: WishText(wish), Body: wire.AppendRetireCall(nil, id, call), State: journal.Prepared}
		change(&c)
		return c
	}
	for name, test := range map[string]struct {
		change func(*journal.Call)
		same   bool
	}{
		"never sent":       {func(*journal.Call) {}, true},
		"given up":         {func(c *journal.Call) { c.GivenUp = true }, false},
		"sent":             {func(c *journal.Call) { c.State = journal.Sent }, false},
		"refused":          {func(c *journal.Call) { c.State = journal.Refused }, false},
		"another body":     {func(c *journal.Call) { c.Body = append(c.Body, ' ') }, false},
		"another customer": {func(c *journal.Call) { c.Wish += "x" }, false},
	} {
		if got := idsOf("https://a", "r", wish, made(test.change)).Next(call); (got == id) != test.same {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// shelf is a ledger.
type shelf struct {
	requests []string
	kept     map[string]string
}

func (s *shelf) WithReference(context.Context, string) ([]string, error) { return s.requests, nil }

func (s *shelf) Remember(_ context.Context, requestID, reference string) error {
	s.kept[requestID] = reference
	return nil
}

func TestADeskStopsForARequestOfTheLedgerThatTheJournalDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{RequestID: "00m1"}, nil }}
	d := newTestDesk(t, s)
	ledger := &shelf{requests: []string{"00m1"}, kept: map[string]string{}}
	d.Ledger = ledger
	var elsewhere *ElsewhereError
	if calls, err := d.Recall(t.Context(), "flight-9"); !errors.As(err, &elsewhere) || elsewhere.Requests[0] != "00m1" {
		t.Errorf("%v, %v", calls, err)
	}
	if calls, err := d.Recall(t.Context(), ""); err != nil || calls != nil {
		t.Errorf("without a reference: %v, %v", calls, err)
	}
	d.Account.Profile = "another tenant"
	if _, err := d.Retire(t.Context(), order("x-1", "flight-9"), nil); err != nil || ledger.kept["00m1"] != "flight-9" {
		t.Errorf("%v, the ledger has %v", err, ledger.kept)
	}
	d.Account.Profile = account.Profile
	if calls, err := d.Recall(t.Context(), "flight-9"); err != nil || len(calls) != 0 {
		t.Errorf("that another profile made: %v, %v", calls, err)
	}
}

// The service had the call before this journal sent it first.
func TestACallThatTheJournalDidNotMakeStopsItsPlan(t *testing.T) {
	t.Parallel()
	s := &shop{answers: func(int) (wire.RetireAccepted, error) {
		return wire.RetireAccepted{RequestID: "00m1", Replayed: true}, nil
	}}
	d := newTestDesk(t, s)
	o, err := d.Retire(t.Context(), order("x-1", "flight-9"), nil)
	if err != nil || !o.Elsewhere || o.AllowsNext() {
		t.Errorf("%+v, %v", o, err)
	}
	made, err := d.Recall(t.Context(), "flight-9")
	if err != nil || len(made) != 1 {
		t.Fatalf("%v, %v", made, err)
	}
	var elsewhere *ElsewhereError
	if _, err := Serving(made, "w"); !errors.As(err, &elsewhere) || elsewhere.Requests[0] != "00m1" {
		t.Errorf("the same once more: %v", err)
	}
	if made, err := Serving(made, "another"); err != nil || made != nil {
		t.Errorf("another wish: %v, %v", made, err)
	}
}

// Two programs that plan the same derive the same ids, and send each call once.
func TestAPlanThatWasConfirmedIsConfirmedAgainWithItsIDs(t *testing.T) {
	t.Parallel()
	s := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{RequestID: "00m1"}, nil }}
	d := newTestDesk(t, s)
	plan := Plan{Orders: []Order{order("x-1", "flight-9"), order("x-2", "flight-9")}}
	if err := d.Confirm(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	plan.Known, plan.Instead = 2, []string{"x-1", "x-2"}
	if err := d.Confirm(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	for _, o := range plan.Orders {
		if got, err := d.Retire(t.Context(), o, nil); err != nil || got.State != journal.Done {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if len(s.bodies) != 2 {
		t.Errorf("%d sent", len(s.bodies))
	}
}
