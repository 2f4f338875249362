package retire

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	must "tonne/model/musttest"
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
	s := &shop{held: []model.Grams{30, 12}}
	all, err := newWorkflow(t, s).Supplies(t.Context(), "004a")
	got := all["004a"]
	must.Hold(t, err == nil && got.Held == 42 && len(got.Book.Asks) == 1 && got.Book.Asks[0].Tonnes == 3, got, err)
	all, err = newWorkflow(t, s).Supplies(t.Context(), "004z")
	must.Hold(t, err == nil && all["004z"].Held == 0 && all["004z"].Book.Asks == nil,
		"of an unknown vintage", all, err)
	s.early = &api.Error{Kind: api.Incomplete}
	_, err = newWorkflow(t, s).Supplies(t.Context(), "004a")
	must.Hold(t, api.KindOf(err) == api.Incomplete, "a market that ends early", err)
	s.unread, s.early = 1, nil
	_, err = newWorkflow(t, s).Supplies(t.Context(), "004a")
	must.Hold(t, errors.Is(err, ErrBookUnread), "an order that cannot be read", err)
	s.unread = 0
	s.held = append(s.held, model.UnknownGrams)
	_, err = newWorkflow(t, s).Supplies(t.Context(), "004a")
	must.Hold(t, errors.Is(err, ErrWalletUnread), "a wallet that cannot be read", err)
}

func TestADeskWritesDownBeforeItSendsAndKnowsWhatIsUnfinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		d := newWorkflow(t, s)
		calls, err := d.Unsettled(t.Context())
		must.Hold(t, err == nil && calls == nil, "before anything", calls, err)
		s.answers = func(int) (wire.RetireAccepted, error) {
			// Evidence counts what the service was sent, not how often it was requested.
			calls, err := d.Unsettled(t.Context())
			must.Hold(t, err == nil && len(calls) == 1 && (calls[0].State == Sent) == (len(s.bodies) <= tries) && calls[0].MadeBy == "ann" && calls[0].Tries == len(s.bodies),
				"sent for the", len(s.bodies), calls, err)
			return wire.RetireAccepted{}, &api.Error{Kind: api.TimedOut}
		}
		var asked []int
		o, err := d.SendNew(t.Context(), call("x-1", "flight-9"), func(tries int, _ error) { asked = append(asked, tries) })
		must.Hold(t, err == nil && o.State == Unknown && reflect.DeepEqual(asked, []int{1, 2, 3, 4}), o, err, asked)
		o, err = d.Resume(t.Context(), "x-1", nil)
		must.Hold(t, err == nil && o.State == Unknown && o.Tries == 10 && len(s.bodies) == 10, o, err, len(s.bodies))
		s.answers = func(int) (wire.RetireAccepted, error) {
			return wire.RetireAccepted{RequestID: "00m1", Replayed: true}, nil
		}
		must.Equal(t, must.Get(d.Resume(t.Context(), "x-1", nil)).RequestID, "00m1")
		for _, body := range s.bodies {
			must.Equal(t, body, s.bodies[0], "another body was sent")
		}
	})
}

func TestADeskThatClosesLeavesACallThatIsOutInTheJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answered := make(chan struct{})
		s := &shop{answers: func(int) (wire.RetireAccepted, error) {
			<-answered
			return wire.RetireAccepted{RequestID: "00m1"}, nil
		}}
		d := newWorkflow(t, s)
		go func() { _, _ = d.SendNew(t.Context(), call("x-1", ""), nil) }()
		synctest.Wait()
		must.Succeed(t, d.Close(time.Second))
		must.Equal(t, len(must.Get(d.Unsettled(t.Context()))), 1)
		close(answered)
		synctest.Wait()
	})
}

// A call that was sent or confirmed here may end elsewhere, as with `tonne retire resume`, before its turn comes.
func TestWhatBecameOfACallElsewhereIsWhatTheJournalSays(t *testing.T) {
	ends := func(end outcome) func(*journal) error {
		return func(j *journal) error {
			a, err := j.begin(account, "x-1")
			return errors.Join(err, a.end(end))
		}
	}
	done, refused := ends(outcome{State: Done, RequestID: "00m1"}), ends(outcome{State: Refused, Code: "SELL_ORDER_NOT_LIVE", Message: "gone"})
	giveUp := func(j *journal) error { return j.giveUp(account, "x-1") }
	inDoubt := func(j *journal) error {
		return errors.Join(ends(outcome{State: Unknown, Message: "no answer"})(j), giveUp(j))
	}
	for name, test := range map[string]struct {
		sent      bool
		meanwhile func(*journal) error
		want      State
		// why is the error that the call has, err that of sending it.
		why, err error
	}{
		"sent, then done":                {true, done, Done, nil, nil},
		"sent, then refused":             {true, refused, Refused, &api.Error{Code: "SELL_ORDER_NOT_LIVE"}, nil},
		"turned away, then given up":     {true, giveUp, Sent, ErrEnded, nil},
		"confirmed, then done":           {false, done, Done, nil, nil},
		"confirmed, given up in doubt":   {false, inDoubt, Unknown, ErrEnded, nil},
		"confirmed, then given up":       {false, giveUp, Planned, nil, ErrEnded},
		"confirmed, then refused by one": {false, refused, Refused, &api.Error{Code: "SELL_ORDER_NOT_LIVE"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shop{answers: func(int) (wire.RetireAccepted, error) {
				return wire.RetireAccepted{}, &api.Error{Kind: api.Unauthorized, Status: 401}
			}}
			d, sent := newWorkflow(t, s), 0
			send := func() (Call, error) { return d.SendNew(t.Context(), call("x-1", "flight-9"), nil) }
			if test.sent {
				o := must.Get(send())
				must.Need(t, o.State == Sent, o)
				sent = 1
				send = func() (Call, error) { return d.Resume(t.Context(), "x-1", nil) }
			} else {
				must.Succeed(t, d.Confirm(t.Context(), Confirmed{Calls: []Call{call("x-1", "flight-9")}}))
			}
			must.Succeed(t, test.meanwhile(d.opened))
			got, err := send()
			must.Hold(t, got.State == test.want && errors.Is(err, test.err) && len(s.bodies) == sent,
				got, err, len(s.bodies))
			want, isRefusal := errors.AsType[*api.Error](test.why)
			why, is := errors.AsType[*api.Error](got.Err)
			must.Hold(t, is == isRefusal && (!is || why.Code == want.Code) && (is || errors.Is(got.Err, test.why)),
				"because of", got.Err, test.why)
		})
	}
}

func refusedWith(code string) error {
	return &api.Error{Kind: api.Invalid, Status: 422, Code: code, Message: "no"}
}

// The first try is still being worked on when the second is refused, because
// the first one is about to buy the order.
func TestARefusalBehindALateCommitDoesNotEndTheCall(t *testing.T) {
	for _, code := range []string{"SELL_ORDER_NOT_LIVE", "SELL_ORDER_SUPPLY_TOO_LOW", "PRICE_SUPPLIED_DIFF_CURRENT_PRICE"} {
		t.Run(code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				committed := time.Now().Add(lateCommit)
				s := &shop{answers: func(n int) (wire.RetireAccepted, error) {
					switch {
					case n == 1:
						return wire.RetireAccepted{}, &api.Error{Kind: api.ServerError, Status: 504}
					case time.Now().Before(committed):
						return wire.RetireAccepted{}, refusedWith(code)
					}
					return wire.RetireAccepted{RequestID: "00m1", Replayed: true}, nil
				}}
				var told []string
				o, err := newWorkflow(t, s).SendNew(t.Context(), call("x-1", ""), func(_ int, err error) { told = append(told, err.Error()) })
				must.Hold(t, err == nil && o.State == Done && o.RequestID == "00m1" && len(s.bodies) == 3,
					o, err, len(s.bodies))
				must.Hold(t, len(told) == 2 && strings.HasSuffix(told[1], "a try before may still be under way, so again in 30 s"),
					"told", told)
			})
		})
	}
}

// A program that was killed leaves a call that may be under way: the next run
// is as careful from its first try on.
func TestACallOfAKilledProgramIsRefusedByTwoRefusalsFarApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{answers: func(int) (wire.RetireAccepted, error) {
			return wire.RetireAccepted{}, refusedWith("SELL_ORDER_NOT_LIVE")
		}}
		d := newWorkflow(t, s)
		killed(t, d, "x-1")
		start := time.Now()
		o, err := d.Resume(t.Context(), "x-1", nil)
		took := time.Since(start)
		must.Hold(t, err == nil && o.State == Refused && len(s.bodies) == 2 && took >= lateCommit,
			o, err, len(s.bodies), took)
	})
}

// A gateway may answer 422 after the service retired.
func TestA422WithoutANamedCodeLeavesTheCallUnknown(t *testing.T) {
	for _, code := range []string{"", "VALIDATION_ERROR", "CALL_UNDER_WAY"} {
		synctest.Test(t, func(t *testing.T) {
			s := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{}, refusedWith(code) }}
			d := newWorkflow(t, s)
			killed(t, d, "x-1")
			for range 2 {
				must.Equal(t, must.Get(d.Resume(t.Context(), "x-1", nil)).State, Unknown, code)
			}
			s.bodies = nil
			o := must.Get(d.SendNew(t.Context(), call("x-2", ""), nil))
			must.Hold(t, o.State == Unknown && len(s.bodies) == tries, code, o, len(s.bodies))
			calls := must.Get(d.Unsettled(t.Context()))
			must.Hold(t, len(calls) == 2 && strings.Contains(calls[1].Message, code), code, calls)
		})
	}
}

// Ended between the two refusals, the call is unknown: the next run waits as well.
func TestWhoEndsTheWaitBehindARefusalLeavesTheCallUnknown(t *testing.T) {
	for name, before := range map[string]func(*testing.T, *Workflow){
		"a killed program": func(t *testing.T, d *Workflow) { killed(t, d, "x-1") },
		"a call that was turned away": func(t *testing.T, d *Workflow) {
			must.Equal(t, must.Get(d.SendNew(t.Context(), call("x-1", ""), nil)).State, Sent)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &shop{answers: func(int) (wire.RetireAccepted, error) {
					return wire.RetireAccepted{}, &api.Error{Kind: api.Unauthorized, Status: 401}
				}}
				d := newWorkflow(t, s)
				before(t, d)
				s.answers = func(int) (wire.RetireAccepted, error) {
					return wire.RetireAccepted{}, refusedWith("SELL_ORDER_NOT_LIVE")
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				o, err := d.Resume(ctx, "x-1", nil)
				took := time.Since(start)
				must.Hold(t, err == nil && o.State == Unknown && took == time.Second, o, err, took)
			})
		})
	}
}

// killed leaves a call as a program does that is killed while it sends it.
func killed(t *testing.T, d *Workflow, id string) {
	t.Helper()
	j := must.Get(openJournal(t.Context(), d.Path))
	must.Get(j.start(Call{Account: account, ExternalID: id, Body: []byte("{}")}))
	must.Succeed(t, j.close())
}

// A gateway turns the call away and forwards it, and the service takes effect
// late: a refusal before that does not count.
func TestARefusalAfterACallWasTurnedAwayCountsOnlyTwice(t *testing.T) {
	for _, status := range []int{401, 403, 429, 302} {
		synctest.Test(t, func(t *testing.T) {
			kind := map[int]api.Kind{401: api.Unauthorized, 403: api.Forbidden, 429: api.RateLimited, 302: api.NotTheAPI}[status]
			committed := time.Now().Add(lateCommit)
			s := &shop{answers: func(n int) (wire.RetireAccepted, error) {
				switch {
				case n == 1:
					return wire.RetireAccepted{}, &api.Error{Kind: kind, Status: status}
				case time.Now().Before(committed):
					return wire.RetireAccepted{}, refusedWith("SELL_ORDER_NOT_LIVE")
				}
				return wire.RetireAccepted{RequestID: "00m1", Replayed: true}, nil
			}}
			d := newWorkflow(t, s)
			o, err := d.SendNew(t.Context(), call("x-1", ""), nil)
			if status != 429 {
				must.Hold(t, err == nil && o.State == Sent && len(s.bodies) == 1, status, o, err, len(s.bodies))
				o, err = d.Resume(t.Context(), "x-1", nil)
			}
			must.Hold(t, err == nil && o.State == Done && o.RequestID == "00m1" && !o.Elsewhere,
				status, o, err, len(s.bodies))
		})
	}
}

// Two dashboards on one store: what one has sent since the other looked is seen
// when the other sends, by the journal itself.
func TestWhatAnotherDeskSentForTheSameIsSeenJustBeforeSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "journal.db")
		desk := func(s *shop) *Workflow {
			d := newWorkflow(t, s)
			d.Path = path
			return d
		}
		silent := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{}, &api.Error{Kind: api.TimedOut} }}
		ready := &shop{answers: func(int) (wire.RetireAccepted, error) { return wire.RetireAccepted{RequestID: "00m1"}, nil }}
		one, other := desk(silent), desk(ready)
		calls := must.Get(other.Unsettled(t.Context()))
		must.Need(t, len(calls) == 0, calls)
		sent := make(chan error)
		go func() {
			o, err := one.SendNew(t.Context(), call("x-1", "flight-9"), nil)
			if o.State != Unknown {
				err = errors.Join(err, errors.New("it is known: "+string(o.State)))
			}
			sent <- err
		}()
		time.Sleep(time.Millisecond)
		_, err := other.SendNew(t.Context(), call("x-2", "flight-9"), nil)
		must.Hold(t, errors.Is(err, ErrUnsettled), "while the other desk sends", err)
		must.Succeed(t, <-sent)
		_, err = other.SendNew(t.Context(), call("x-2", "flight-9"), nil)
		must.Hold(t, errors.Is(err, ErrUnsettled) && len(ready.bodies) == 0,
			"while its outcome is unknown", err, len(ready.bodies))
		o, err := other.SendNew(t.Context(), call("x-2", "flight-10"), nil)
		must.Hold(t, err == nil && o.State == Done, "with another reference", o, err)
		must.Equal(t, must.Get(other.Resume(t.Context(), "x-1", nil)).State, Done, "resumed by the other desk")
		o, err = other.SendNew(t.Context(), call("x-3", "flight-9"), nil)
		must.Hold(t, err == nil && o.State == Done, "a second one, once the first is settled", o, err)
	})
}

// The reasons were messages, which were read back.
func TestTheReasonsOfAnOlderJournalAreConverted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	must.Succeed(t, os.WriteFile(path, must.Get(os.ReadFile("testdata/schema-2.db")), 0o600))
	j := opened(t, path)
	calls := must.Get(j.list(OfAccount, desk))
	type reason struct {
		state      State
		turnedAway int
		elsewhere  bool
		message    string
	}
	want := map[string]reason{
		"done": {Done, 0, false, ""}, "elsewhere": {Done, 0, true, ""}, "refused": {Refused, 0, false, "it was sold"},
		"turned away": {Sent, 403, false, "the role is missing: ask"}, "no connection": {Sent, 0, false, "connection refused"},
		"unknown": {Unknown, 0, false, "no answer in time"}, "turned away in doubt": {Unknown, 429, false, "too many requests"},
		"prepared": {Prepared, 0, false, ""},
	}
	for _, c := range calls {
		must.Equal(t, (reason{c.State, c.TurnedAway, c.Elsewhere, c.Message}), want[c.ExternalID], c.ExternalID)
	}
	must.Equal(t, len(calls), len(want))
}
