package retire

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// shop is a marketplace with one vintage, which counts what it carried out.
type shop struct {
	// unread is how many sell orders have no price that can be read, early why the
	// market ended early.
	unread  int
	early   error
	held    []model.Grams
	bodies  []string
	answers func(n int) (wire.RetireAccepted, error)
}

func (s *shop) Market(context.Context, int, func(*market.Page, model.Page)) (*market.Market, error) {
	var part market.Page
	part.AddProject("003a")
	part.AddVintage("004a", 2024)
	part.AddOrder("006a", 3*model.GramsPerTonne, 592)
	for range s.unread {
		part.AddOrder("006b", model.GramsPerTonne, model.UnknownPrice)
	}
	return market.New(&part), s.early
}

func (s *shop) Inventory(context.Context, api.InventoryQuery, func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error) {
	var wallets []portfolio.Wallet
	for _, g := range s.held {
		wallets = append(wallets, portfolio.Wallet{Quantity: g})
	}
	return &portfolio.Inventory{Projects: []portfolio.Project{
		{ID: "003a", Vintages: []portfolio.Vintage{{ID: "004a", Wallets: wallets}, {ID: "004b", Wallets: []portfolio.Wallet{{Quantity: 9}}}}},
	}}, nil
}

func (s *shop) RequestRetirement(_ context.Context, body []byte) (wire.RetireAccepted, error) {
	s.bodies = append(s.bodies, string(body))
	return s.answers(len(s.bodies))
}

func newWorkflow(t *testing.T, s *shop) *Workflow {
	t.Helper()
	d := &Workflow{Path: filepath.Join(t.TempDir(), "journal.db"), Account: account, Client: s, By: "ann", Now: time.Now}
	t.Cleanup(func() { _ = d.Close(time.Second) })
	return d
}

func call(id, reference string) Call {
	c := Call{ExternalID: id, Reference: reference, Request: "w", Plan: retirement.Call{VintageID: "004a", Quantity: 20, Price: model.UnknownPrice}}
	c.Body = wire.AppendRetireCall(nil, id, c.Plan)
	return c
}

func TestASupplyIsTheBookAndAllWalletsOfTheVintage(t *testing.T) {
	t.Parallel()
	s := &shop{held: []model.Grams{30, 12}}
	all, err := newWorkflow(t, s).Supplies(t.Context(), "004a")
	got := all["004a"]
	if err != nil || got.Held != 42 || len(got.Book.Asks) != 1 || got.Book.Asks[0].Tonnes != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if all, err := newWorkflow(t, s).Supplies(t.Context(), "004z"); err != nil || all["004z"].Held != 0 || all["004z"].Book.Asks != nil {
		t.Errorf("of an unknown vintage: %+v, %v", all, err)
	}
	s.early = &api.Error{Kind: api.Incomplete}
	if _, err := newWorkflow(t, s).Supplies(t.Context(), "004a"); api.KindOf(err) != api.Incomplete {
		t.Errorf("a market that ends early: %v", err)
	}
	s.unread, s.early = 1, nil
	if _, err := newWorkflow(t, s).Supplies(t.Context(), "004a"); !errors.Is(err, ErrBookUnread) {
		t.Errorf("an order that cannot be read: %v", err)
	}
	s.unread = 0
	s.held = append(s.held, model.UnknownGrams)
	if _, err := newWorkflow(t, s).Supplies(t.Context(), "004a"); !errors.Is(err, ErrWalletUnread) {
		t.Errorf("a wallet that cannot be read: %v", err)
	}
}

func TestADeskWritesDownBeforeItSendsAndKnowsWhatIsUnfinished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		d := newWorkflow(t, s)
		if calls, err := d.Unsettled(t.Context()); err != nil || calls != nil {
			t.Errorf("before anything: %v, %v", calls, err)
		}
		s.answers = func(int) (wire.RetireAccepted, error) {
			if calls, err := d.Unsettled(t.Context()); err != nil || len(calls) != 1 || calls[0].State != Sent || calls[0].MadeBy != "ann" {
				t.Errorf("while it is sent: %+v, %v", calls, err)
			}
			return wire.RetireAccepted{}, &api.Error{Kind: api.TimedOut}
		}
		var asked []int
		o, err := d.SendNew(t.Context(), call("x-1", "flight-9"), func(tries int, _ error) { asked = append(asked, tries) })
		if err != nil || o.State != Unknown || !reflect.DeepEqual(asked, []int{1, 2, 3, 4}) {
			t.Errorf("%+v, %v, asked %v", o, err, asked)
		}
		s.answers = func(int) (wire.RetireAccepted, error) {
			return wire.RetireAccepted{RequestID: "00m1", Replayed: true}, nil
		}
		if o, err := d.Resume(t.Context(), "x-1", nil); err != nil || o.RequestID != "00m1" {
			t.Errorf("%+v, %v", o, err)
		}
		for _, body := range s.bodies {
			if body != s.bodies[0] {
				t.Errorf("another body was sent: %s", body)
			}
		}
	})
}

// Evidence counts what the service was sent, not how often it was requested.
func TestTriesCountEachSending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		d := newWorkflow(t, s)
		s.answers = func(int) (wire.RetireAccepted, error) {
			calls, err := d.Unsettled(t.Context())
			if err != nil || len(calls) != 1 || calls[0].Tries != len(s.bodies) {
				t.Errorf("on its way for the %d. time: %+v, %v", len(s.bodies), calls, err)
			}
			return wire.RetireAccepted{}, &api.Error{Kind: api.TimedOut}
		}
		if _, err := d.SendNew(t.Context(), call("x-1", ""), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Resume(t.Context(), "x-1", nil); err != nil {
			t.Fatal(err)
		}
		if calls, err := d.Unsettled(t.Context()); err != nil || calls[0].Tries != 10 || len(s.bodies) != 10 {
			t.Errorf("%+v, %v; sent %d times", calls, err, len(s.bodies))
		}
	})
}

func TestCallConfirmedTwiceIsSentOnce(t *testing.T) {
	t.Parallel()
	s := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{RequestID: "00m1"}, nil }}
	d := newWorkflow(t, s)
	if _, err := d.SendNew(t.Context(), call("x-1", ""), nil); err != nil {
		t.Fatal(err)
	}
	if o, err := d.SendNew(t.Context(), call("x-1", ""), nil); err != nil || o.State != Done || o.RequestID != "00m1" {
		t.Errorf("the second time: %+v, %v", o, err)
	}
	other := call("x-1", "")
	other.Body = append(other.Body, ' ')
	if _, err := d.SendNew(t.Context(), other, nil); !errors.Is(err, ErrOtherBody) {
		t.Errorf("another body: %v", err)
	}
	if len(s.bodies) != 1 {
		t.Errorf("sent %d times", len(s.bodies))
	}
}

func TestADeskThatClosesLeavesACallThatIsOutInTheJournal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answered := make(chan struct{})
		s := &shop{answers: func(int) (wire.RetireAccepted, error) {
			<-answered
			return wire.RetireAccepted{RequestID: "00m1"}, nil
		}}
		d := newWorkflow(t, s)
		go func() { _, _ = d.SendNew(t.Context(), call("x-1", ""), nil) }()
		synctest.Wait()
		if err := d.Close(time.Second); err != nil {
			t.Error(err)
		}
		if calls, err := d.Unsettled(t.Context()); err != nil || len(calls) != 1 {
			t.Errorf("%+v, %v", calls, err)
		}
		close(answered)
		synctest.Wait()
	})
}

// A call that is not known here may end elsewhere, as with `tonne retire resume`.
func TestWhatBecameOfACallElsewhereIsWhatTheJournalSays(t *testing.T) {
	t.Parallel()
	noAnswer := func(int) (wire.RetireAccepted, error) {
		return wire.RetireAccepted{}, &api.Error{Kind: api.Unauthorized, Status: 401}
	}
	for name, test := range map[string]struct {
		end  func(*attempt) error
		want State
	}{
		"done": {func(a *attempt) error { return a.end(ending{State: Done, RequestID: "00m1"}) }, Done},
		"refused": {func(a *attempt) error {
			return a.end(ending{State: Refused, Code: "SELL_ORDER_NOT_LIVE", Message: "gone"})
		}, Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shop{answers: noAnswer}
			d := newWorkflow(t, s)
			if o, err := d.SendNew(t.Context(), call("x-1", ""), nil); err != nil || o.State != Sent {
				t.Fatalf("%+v, %v", o, err)
			}
			attempt, err := d.opened.begin(account, "x-1")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Resume(t.Context(), "x-1", nil); !errors.Is(err, ErrHeld) {
				t.Errorf("while another makes it: %v", err)
			}
			if err := test.end(attempt); err != nil {
				t.Fatal(err)
			}
			got, err := d.Resume(t.Context(), "x-1", nil)
			var refused *api.Error
			if errors.As(got.Err, &refused) != (name == "refused") || refused != nil && refused.Code != "SELL_ORDER_NOT_LIVE" {
				t.Errorf("because of %v", got.Err)
			}
			if err != nil || got.State != test.want || len(s.bodies) != 1 {
				t.Errorf("%+v, %v, sent %d times", got, err, len(s.bodies))
			}
		})
	}
}

func TestCallAbandonedElsewhereIsNotSent(t *testing.T) {
	t.Parallel()
	s := &shop{answers: func(int) (wire.RetireAccepted, error) {
		return wire.RetireAccepted{}, &api.Error{Kind: api.Unauthorized, Status: 401}
	}}
	d := newWorkflow(t, s)
	if _, err := d.SendNew(t.Context(), call("x-1", ""), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Abandon(t.Context(), "x-1"); err != nil {
		t.Fatal(err)
	}
	// A gateway may have sent that after the call was carried out.
	if o, err := d.Resume(t.Context(), "x-1", nil); err != nil || !o.Doubtful() || !errors.Is(o.Err, ErrEnded) || len(s.bodies) != 1 {
		t.Errorf("%+v, %v, sent %d times", o, err, len(s.bodies))
	}
}
