package retire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"tonne/api"
	"tonne/api/apitest"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/longtest"
	"tonne/model/market"
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/model/texttest"
)

// buyer is a program that retires 45 t of the market, in calls of 3 t, 5 t and 37 t.
type buyer struct {
	*Workflow
	t      testing.TB
	market *apitest.Market
	client *api.Retirer
	// kill, which may be nil, is called instead of send with how many calls were sent.
	kill func(posts int, send func())
}

const whole = 45 * model.GramsPerTonne

func newBuyer(t *testing.T) *buyer {
	t.Helper()
	return buyerAt(t, apitest.NewMarket(t, apitest.Order{ID: "006a", VintageID: "004a", Tonnes: 3, Price: 600},
		apitest.Order{ID: "006b", VintageID: "004a", Tonnes: 5, Price: 610},
		apitest.Order{ID: "006c", VintageID: "004a", Tonnes: 40, Price: 620},
		apitest.Order{ID: "006d", VintageID: "004b", Tonnes: 40, Price: 630}))
}

func buyerAt(t *testing.T, m *apitest.Market) *buyer {
	t.Helper()
	client := must.Get(api.NewRetirer(api.Options{BaseURL: "https://market.example", Key: "k",
		Transport: apitest.Transport(m), Timeout: 10 * time.Second}))
	b := &buyer{t: t, market: m, client: client, Workflow: &Workflow{Path: filepath.Join(t.TempDir(), "journal.db")}}
	b.restart()
	t.Cleanup(func() {
		_ = b.Close(time.Minute)
		client.Close()
	})
	return b
}

// restart starts the program again on the journal that is there.
func (b *buyer) restart() {
	b.t.Helper()
	must.Succeed(b.t, b.Close(time.Minute))
	b.Workflow = &Workflow{Path: b.Path, Account: account, Client: killer{b.client, b, new(int)}, Ledger: b.Ledger,
		By: "ann", Now: time.Now}
}

// killer is a client whose program may be killed in any call.
type killer struct {
	*api.Retirer
	buyer *buyer
	posts *int
}

func (k killer) RequestRetirement(ctx context.Context, body []byte) (wire.RetireAccepted, error) {
	*k.posts++
	if k.buyer.kill != nil {
		k.buyer.kill(*k.posts, func() { _, _ = k.Retirer.RequestRetirement(ctx, body) })
	}
	return k.Retirer.RequestRetirement(ctx, body)
}

// dies reports whether the program dies as it does something. It is started again then.
func (b *buyer) dies(something func()) bool {
	b.t.Helper()
	ended, died := make(chan struct{}), true
	go func() {
		defer close(ended)
		something()
		died = false
	}()
	<-ended
	if died {
		b.restart()
	}
	return died
}

func (b *buyer) submission(reference string) *Submission {
	return &Submission{Steps: b.Workflow,
		Lines: []*Line{{Reference: reference, Request: retirement.RetireRequest{VintageID: "004a", Quantity: whole}}}}
}

func (b *buyer) plans(s *Submission) error {
	if err := s.Recall(b.t.Context()); err != nil || s.Lines[0].Left() <= 0 {
		return err
	}
	return errors.Join(s.ReadSupplies(b.t.Context()), s.PlanLine(s.Lines[0]))
}

func (b *buyer) sends(s *Submission) error {
	if err := b.plans(s); err != nil || len(s.New()) == 0 {
		return err
	}
	return s.Send(b.t.Context(), func(Progress) {})
}

// settles sends what is open in the journal, with what was confirmed if that has no
// reference, and then what is left of the request.
func (b *buyer) settles(reference string) {
	b.t.Helper()
	open := must.Get(b.Unsettled(b.t.Context()))
	for _, c := range open {
		if c.Resumable() || reference == "" {
			err := Resume(b.t.Context(), b.Workflow, []*Call{&c}, func(Progress) {})
			must.Hold(b.t, err == nil && (c.State == Done || c.State == Refused), c.ExternalID, c.State, err)
		}
	}
	if reference == "" {
		return
	}
	err := b.sends(b.submission(reference))
	must.Hold(b.t, err == nil, "what is left of", reference, err)
}

// check compares the journal with the books.
func (b *buyer) check(what string) {
	b.t.Helper()
	calls := must.Get(b.Calls(b.t.Context(), OfAccount))
	for _, c := range calls {
		_, carried := b.market.Carried()[c.ExternalID]
		must.Hold(b.t,
			(c.State != Done || carried) && (!carried || c.State != Refused && c.State != Prepared) &&
				(c.State != Sent || c.TurnedAway != 0 || !carried),
			what, c.ExternalID, c.State, carried)
	}
}

// shown is the plan by what the submission and the journal have of each call, which are
// the same.
func (b *buyer) shown(s *Submission) (all string) {
	b.t.Helper()
	for _, c := range s.New() {
		kept, err := b.Call(b.t.Context(), c.ExternalID)
		must.Need(b.t, err == nil || errors.Is(err, ErrNoCall), err)
		must.Hold(b.t,
			kept.State == c.State && kept.GivenUp == c.GivenUp && kept.RequestID == c.RequestID &&
				kept.Doubtful() == c.Doubtful(),
			"the journal has", kept, *c)
		switch {
		case c.GivenUp:
			all += " abandoned"
		case c.State == Planned:
			all += " planned"
		default:
			all += " " + string(c.State)
		}
	}
	return strings.TrimSpace(all)
}

// What a call ends with decides about the rest of its plan, and of a new one.
func TestTheRestOfAPlanIsKeptOrAbandonedByTheOutcomeOfACall(t *testing.T) {
	elsewhere := apitest.JSON(`{"retirement_request_id":"00m1","external_id_already_processed":true}`)
	for _, test := range []struct {
		name   string
		n      int
		answer http.Handler
		want   string
		left   model.Grams
	}{
		{"refused first", 1, apitest.Refusal("SELL_ORDER_NOT_LIVE"), "refused abandoned abandoned", 45},
		{"refused second", 2, apitest.Refusal("PRICE_SUPPLIED_DIFF_CURRENT_PRICE"), "done refused abandoned", 42},
		{"refused last", 3, apitest.Refusal("SELL_ORDER_SUPPLY_TOO_LOW"), "done done refused", 37},
		{"unknown first", 1, apitest.Status(500, `{}`), "unknown prepared prepared", 42},
		{"unknown second", 2, apitest.HTML(), "done unknown prepared", 37},
		{"connection lost", 2, apitest.Reset(), "done unknown prepared", 37},
		{"refused with an unknown code", 1, apitest.Refusal("CALL_UNDER_WAY"), "unknown prepared prepared", 42},
		{"turned away first", 1, apitest.Status(403, `{}`), "sent prepared prepared", 42},
		{"turned away second", 2, apitest.Status(401, `{}`), "done sent prepared", 37},
		{"made by another journal", 1, elsewhere, "done abandoned abandoned", 42},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBuyer(t)
				b.market.Answer = func(n int, _ func()) http.Handler {
					if n >= test.n {
						return test.answer
					}
					return nil
				}
				s := b.submission("")
				err := b.sends(s)
				stopped := errors.Is(err, ErrElsewhere)
				must.Hold(t, stopped == (test.name == "made by another journal") && (err == nil || stopped), err)
				got, left := b.shown(s), s.Lines[0].Left()
				must.Hold(t, got == test.want && left == test.left*model.GramsPerTonne,
					got, left, test.want, test.left)
				unsent := strings.Count(test.want, "prepared") + strings.Count(test.want, "abandoned")
				next := s.Next()
				must.Hold(t, len(next.Replaced) == unsent && len(next.Useless) == strings.Count(test.name, "refused first"),
					"the next plan replaces", next.Replaced, next.Useless)
			})
		})
	}
}

func TestPlanStoppedBeforeFirstCallIsAbandoned(t *testing.T) {
	for n, want := range []string{"abandoned abandoned abandoned", "done prepared prepared"} {
		b, stop, allowed := newBuyer(t), errors.New("too dear"), 0
		s := b.submission("r")
		s.Allow = func(context.Context, *Call) error {
			if allowed++; allowed > n {
				return stop
			}
			return nil
		}
		err := b.sends(s)
		must.Hold(t, errors.Is(err, stop) && b.shown(s) == want, "stopped after", n, err, b.shown(s))
	}
}

// A batch continues after a refusal with its other vintages, and plans what was refused
// again, with another id.
func TestBatchContinuesWithOtherVintages(t *testing.T) {
	b := newBuyer(t)
	batch := func() *Submission {
		s := &Submission{Steps: b.Workflow, Batch: "october.csv"}
		for _, reference := range []string{"one", "two", "three"} {
			s.Lines = append(s.Lines,
				&Line{Reference: reference, Request: retirement.RetireRequest{VintageID: "004a", Quantity: model.GramsPerTonne}})
		}
		s.Lines[2].Request.VintageID = "004b"
		made, err := b.Calls(t.Context(), OfAccount)
		changed := s.RecallBatch(made)
		must.Need(t, err == nil && changed == nil, changed, err)
		must.Succeed(t, s.ReadSupplies(t.Context()))
		for _, l := range s.Lines {
			if l.Left() > 0 {
				must.Succeed(t, s.PlanLine(l))
			}
		}
		return s
	}
	b.market.Answer = func(n int, _ func()) http.Handler {
		if n == 1 {
			return apitest.Refusal("SELL_ORDER_SUPPLY_TOO_LOW")
		}
		return nil
	}
	first := batch()
	err := first.Send(t.Context(), func(Progress) {})
	must.Hold(t, err == nil && b.shown(first) == "refused planned done", err, b.shown(first))
	again := batch()
	err = again.Send(t.Context(), func(Progress) {})
	must.Hold(t, err == nil && b.shown(again) == "done done" && again.New()[0].ExternalID != first.New()[0].ExternalID,
		"again", err, b.shown(again))
	last := batch()
	must.Hold(t, len(last.New()) == 0 && b.market.Retired() == int64(3*model.GramsPerTonne),
		len(last.New()), b.market.Retired())
	// What a person found to be carried out is not planned again, though it was abandoned.
	s := batch()
	s.Lines = append(s.Lines, &Line{Reference: "four", Request: retirement.RetireRequest{VintageID: "004a", Quantity: 1}})
	s.RecallBatch([]Call{{Batch: s.Batch, Reference: "four", Request: s.Lines[3].Request, State: Done, GivenUp: true,
		Plan: retirement.Call{Quantity: 1}}})
	must.Equal(t, s.Lines[3].Left(), 0)
}

// What changed since the plan was made stops it before anything is written.
func TestChangedPlanIsNotWrittenOrSent(t *testing.T) {
	for name, change := range map[string]func(*apitest.Market){
		"the price": func(m *apitest.Market) { m.Orders[0].Price++ },
		"the order": func(m *apitest.Market) { m.Orders[1].Tonnes = 4 },
	} {
		b := newBuyer(t)
		s := b.submission("r")
		must.Succeed(t, b.plans(s))
		change(b.market)
		err := s.Send(t.Context(), func(Progress) {})
		must.Hold(t, errors.Is(err, ErrMoved) && b.market.Posts() == 0 && b.shown(s) == "planned planned planned",
			name, err, b.market.Posts(), b.shown(s))
	}
}

// statuses are what may answer a call, with bodies that are no answer of the service.
var statuses = []int{200, 302, 400, 401, 403, 404, 405, 408, 409, 413, 422, 429, 500, 502, 503, 504}

func bodiesFor(status int) []string {
	bodies := []string{"<html><h1>Bad Gateway</h1></html>", "",
		`{"statusCode":422,"error":"CALL_UNDER_WAY","message":"no"}`}
	if status == 422 {
		bodies = append(bodies, `{"statusCode":422,"error":"SELL_ORDER_NOT_LIVE","mess`,
			`{"statusCode":422,"error":"SELL_ORDER_NOT_LIVE"`,
			`{"statusCode":422,"error":"SELL_ORDER_NOT_LIVE"}garbage`,
			`{"error":"CALL_UNDER_WAY","error":"SELL_ORDER_NOT_LIVE"}`, `{"statusCode":500,"error":"SELL_ORDER_NOT_LIVE"}`)
	}
	return bodies
}

// A gateway may answer anything before or after the service retired, to any call of a
// plan: the calls keep their ids, and the request is retired once.
func TestWhateverAnswersACallItsRequestIsRetiredOnce(t *testing.T) {
	t.Parallel()
	for _, status := range statuses {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b, times := newBuyer(t), int64(0)
				for _, body := range bodiesFor(status) {
					for _, committed := range []bool{true, false} {
						times++
						what := fmt.Sprintf("%d %q, carried out %t", status, body, committed)
						first := b.market.Posts() + int(times)%3
						b.market.Restock()
						b.market.Answer = func(n int, commit func()) http.Handler {
							if n <= first {
								return nil
							}
							if committed {
								commit()
							}
							return apitest.Status(status, body)
						}
						s := b.submission(what)
						err := b.sends(s)
						must.Hold(t, err == nil && !slices.ContainsFunc(s.New(), func(c *Call) bool { return c.State == Refused }),
							what, err, b.shown(s))
						b.check(what)
						b.market.Answer = nil
						b.settles(what)
						b.check(what)
						must.Equal(t, b.market.Retired(), times*int64(whole), what, times)
					}
				}
			})
		})
	}
}

// The program is killed at each point of a plan, with a reference and without one.
func TestKilledProgramRetiresItsRequestOnce(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for _, committed := range []bool{true, false} {
			for _, reference := range []string{"flight-9", ""} {
				synctest.Test(t, func(t *testing.T) {
					what := fmt.Sprintf("killed in call %d, carried out %t, reference %q", n, committed, reference)
					b := newBuyer(t)
					b.kill = func(posts int, send func()) {
						if posts == n && committed {
							send()
						}
						if posts == n {
							runtime.Goexit()
						}
					}
					b.dies(func() { _ = b.sends(b.submission(reference)) })
					b.kill = nil
					must.Fail(t, b.plans(b.submission(reference)), ErrUnsettled, what)
					b.settles(reference)
					b.check(what)
					must.Equal(t, b.market.Retired(), int64(whole), what)
				})
			}
		}
	}
}

// A journal that was lost, alone or with the ledger.
func TestLostJournalRetiresReferenceOnce(t *testing.T) {
	for name, ledger := range map[string]*shelf{"the ledger is there": {}, "the ledger is lost too": nil} {
		synctest.Test(t, func(t *testing.T) {
			b := newBuyer(t)
			if ledger != nil {
				b.Ledger = ledger
			}
			s := b.submission("r")
			must.Succeed(t, b.sends(s), b.Remember(t.Context(), s.New()))
			b.market.Restock()
			if ledger != nil {
				for id := range ledger.kept {
					ledger.requests = append(ledger.requests, id)
				}
			}
			for range 2 {
				must.Succeed(t, b.Close(time.Minute), os.RemoveAll(filepath.Dir(b.Path)))
				b.Workflow = &Workflow{Path: b.Path, Ledger: b.Ledger}
				b.restart()
				must.Fail(t, b.sends(b.submission("r")), ErrElsewhere, name)
			}
			must.Equal(t, b.market.Retired(), int64(whole), name)
		})
	}
}

func idsOf(origin, reference string, r retirement.RetireRequest, made ...Call) *externalIDs {
	line := &Line{Reference: reference, Request: r, Made: made, account: Account{Origin: origin}}
	return &externalIDs{line: line, derive: (*Line).deriveID}
}

func TestAnExternalIDFollowsFromWhatIsRetiredAndItsReference(t *testing.T) {
	call := retirement.Call{VintageID: "004a", Quantity: 20}
	wish := retirement.RetireRequest{VintageID: "004a", Quantity: 45}
	seen := make(map[string]string)
	first := idsOf("https://a", "r", wish)
	for n, id := range []string{first.id(call), first.id(call)} {
		seen[id] = "two calls"
		again := idsOf("https://a", "r", wish)
		for range n {
			again.id(call)
		}
		must.Equal(t, again.id(retirement.Call{VintageID: "004a", Quantity: 7, SellOrderID: "006z"}), id, n)
	}
	for name, other := range map[string]*externalIDs{
		"base URL": idsOf("https://b", "r", wish), "reference": idsOf("https://a", "s", wish),
		"vintage":  idsOf("https://a", "r", retirement.RetireRequest{VintageID: "004b", Quantity: 45}),
		"quantity": idsOf("https://a", "r", retirement.RetireRequest{VintageID: "004a", Quantity: 46}),
		"none":     idsOf("https://a", "", wish), "none again": idsOf("https://a", "", wish),
	} {
		id := other.id(call)
		must.Equal(t, seen[id], "", name)
		seen[id] = name
	}
	must.Equal(t, len(seen), 8)
}

// An id has one body for ever. A call that was confirmed and never sent
// keeps its id, so that a lost journal does not hide it.
func TestAnExternalIDOfTheJournalIsUsedAgainOnlyForTheSameCallThatWasNeverSent(t *testing.T) {
	wish := retirement.RetireRequest{VintageID: "004a", Quantity: 45}
	call := retirement.Call{VintageID: "004a", Quantity: 20, SellOrderID: "006a", Price: 600, BuyTonnes: 1}
	id := idsOf("https://a", "r", wish).id(call)
	made := func(change func(*Call)) Call {
		c := Call{ExternalID: id, Reference: "r", Request: wish, Body: wire.AppendRetireCall(nil, id, call), State: Prepared}
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
		"another customer": {func(c *Call) { c.Request.Retiree.Name = "x" }, false},
	} {
		must.Equal(t, (idsOf("https://a", "r", wish, made(test.change)).id(call) == id), test.same, name)
	}
}

type shelf struct {
	requests []string
	kept     map[string][]string
}

func (s *shelf) WithReference(context.Context, string) ([]string, error) { return s.requests, nil }

func (s *shelf) Remember(_ context.Context, _ []string, references map[string][]string) error {
	s.kept = references
	return nil
}

func TestAPlanIsComparedWithTheMarketAndTheWalletOfNow(t *testing.T) {
	supply := func(held model.Grams, orders ...market.SellOrder) Supplies {
		return Supplies{"V": {Book: market.NewBook(orders), Held: held}}
	}
	order := func(id string, tonnes model.Grams, price model.PriceCents) market.SellOrder {
		return market.SellOrder{ID: id, Quantity: tonnes * model.GramsPerTonne, Price: price}
	}
	before := supply(20, order("a", 5, 600), order("b", 9, 620))
	calls := []retirement.Call{
		{VintageID: "V", Quantity: 20}, {VintageID: "V", SellOrderID: "a", BuyTonnes: 3, Price: 600},
		{VintageID: "V", SellOrderID: "a", BuyTonnes: 2, Price: 600},
	}
	for _, tt := range []struct {
		name string
		now  Supplies
		want string
	}{
		{"nothing changed", supply(20, order("b", 9, 620), order("a", 5, 600)), ""},
		{"another order changed", supply(20, order("a", 5, 600)), ""},
		{"the wallet changed", supply(30, order("a", 5, 600)), "the wallet of V has 0.000030 t now, and had 0.000020 t"},
		{"the price moved", supply(20, order("a", 5, 610)), "the price of the sell order a moved: $6.00 → $6.10"},
		{"two calls need more than there is", supply(20, order("a", 4, 600)),
			"the sell order a has 4 t now, and 5 t are planned"},
		{"the order is gone", supply(20, order("b", 9, 620)), "the sell order a is not for sale any more"},
		{"the vintage is gone", Supplies{"V": {Held: 20}}, "the sell order a is not for sale any more"},
	} {
		got := ""
		if err := recheck(before, tt.now, calls); err != nil {
			got = err.Error()
		}
		must.Equal(t, got, tt.want, tt.name)
	}
}

func TestPlansOfOneRunTakeFromTheSameSupply(t *testing.T) {
	before := Supplies{"V": {Book: market.NewBook(
		[]market.SellOrder{{ID: "a", Quantity: 5 * model.GramsPerTonne, Price: 600}}), Held: 2 * model.GramsPerTonne}}
	after := before.Clone()
	for n, want := range []struct{ short, held model.Grams }{{0, 0}, {0, 0}, {2 * model.GramsPerTonne, 0}} {
		plan, err := after.Plan(retirement.RetireRequest{VintageID: "V", Quantity: 3 * model.GramsPerTonne})
		must.Hold(t, err == nil && plan.Short == want.short && after["V"].Held == want.held,
			"plan", n, plan, err, after)
	}
	s := before["V"]
	must.Hold(t, s.Held == 2*model.GramsPerTonne && s.Book.Asks[0].Tonnes == 5, "the supply that was read changed", s)
}

func TestAQuantityIsSaidAsItIsTyped(t *testing.T) {
	texttest.Table(t, "quantities", func(text string) string {
		g, err := model.ParseQuantity(text, model.UnknownGrams)
		if err != nil {
			return "refused"
		}
		return FormatQuantity(g)
	})
	rapid.Check(t, func(t *rapid.T) {
		g := model.Grams(rapid.Int64Range(1, 1<<60).Draw(t, "grams"))
		must.Equal(t, must.Get(model.ParseQuantity(FormatQuantity(g), model.UnknownGrams)), g, FormatQuantity(g))
	})
}

// The call would carry nothing of the customer, and retire in the own name.
func TestACustomersIDAloneIsNoCustomer(t *testing.T) {
	wish := retirement.RetireRequest{VintageID: "V1", Quantity: 1_000_000, Retiree: retirement.Retiree{ID: "C-7"}}
	err := Check("", wish)
	must.Hold(t, err != nil && err.Error() == "a customer's id needs the customer's name, tax id and country", err)
	wish.Retiree.Name, wish.Retiree.TaxID, wish.Retiree.Country = "Ann", "T1", "GB"
	must.Succeed(t, Check("", wish))
}

func TestReusedReferencesAreToldApartByTheirRequest(t *testing.T) {
	line := func(reference string, tonnes model.Grams) *Line {
		return &Line{Reference: reference,
			Request: retirement.RetireRequest{VintageID: "004a", Quantity: tonnes * model.GramsPerTonne}}
	}
	s := &Submission{Batch: "new.csv",
		Lines: []*Line{line("same", 1), line("other", 1), line("unsure", 1), line("refused", 1), line("own", 1),
			line("free", 1)}}
	call := func(batch string, l *Line, state State) Call {
		return Call{ExternalID: l.Reference, Batch: batch, Reference: l.Reference, Request: l.Request, State: state,
			Unsure: state == Unknown}
	}
	s.RecallBatch([]Call{
		call("old.csv", line("same", 1), Done), call("old.csv", line("same", 2), Done),
		call("old.csv", line("other", 2), Done),
		call("", line("unsure", 2), Unknown), call("old.csv", line("refused", 1), Refused),
		call("new.csv", line("own", 1), Done),
	})
	got := s.Reuse()
	want := []string{"[same]", "[other unsure]"}
	texts := []string{fmt.Sprint(got.Same), fmt.Sprint(got.Other)}
	must.Hold(t, slices.Equal(texts, want) && got.Last.Request == s.Lines[0].Request, texts, got.Last.Request, want)
}

var account = Account{Origin: "https://market.example", Profile: "desk"}

// For every response, and a kill at any time, the service has carried out each call of
// the journal once or not at all, and the journal says which.
func TestEachCallTakesEffectAtMostOnce(t *testing.T) {
	t.Parallel()
	runs := longtest.Runs(100, 1000)
	synctest.Test(t, func(t *testing.T) {
		m := apitest.NewMarket(t, apitest.Order{ID: "006a", VintageID: "004a", Tonnes: 1, Price: 600})
		m.Rand, m.Late, m.Endless = apitest.Guarded(2), lateCommit, true
		b := buyerAt(t, m)
		b.kill = func(_ int, send func()) {
			switch m.Rand.IntN(10) {
			case 0: // before it is sent
				runtime.Goexit()
			case 1: // before the answer is read, or before there is one
				send()
				runtime.Goexit()
			}
		}
		for n := range runs {
			id := fmt.Sprint("line-", n)
			send := func() error {
				_, err := b.SendNew(context.Background(), buyOne(id), nil)
				return err
			}
			if m.Rand.IntN(2) == 0 {
				must.Succeed(t, b.Confirm(t.Context(), Confirmed{Calls: []Call{buyOne(id)}}))
				send = b.resumes(id)
			}
			for range 1 + m.Rand.IntN(3) {
				b.sendOrDie(id, send)
			}
			b.stands(id)
		}
		b.kill = nil
		m.Calm()
		open, err := b.Unsettled(t.Context())
		must.Need(t, err == nil && len(open) >= runs/100, len(open), runs, err)
		for _, call := range open {
			b.sendOrDie(call.ExternalID, b.resumes(call.ExternalID))
			state := b.stands(call.ExternalID)
			must.Hold(t, state == Done || state == Refused, call.ExternalID, state)
		}
		all, err := b.Calls(t.Context(), OfAccount)
		must.Need(t, err == nil && len(all) == runs, len(all), err)
		time.Sleep(lateCommit)
		for _, call := range all {
			b.stands(call.ExternalID)
		}
	})
}

func buyOne(id string) Call {
	c := Call{ExternalID: id,
		Plan: retirement.Call{VintageID: "004a", Quantity: model.GramsPerTonne, BuyTonnes: 1, SellOrderID: "006a",
			Price: 600}}
	c.Body = wire.AppendRetireCall(nil, id, c.Plan)
	return c
}

func (b *buyer) resumes(id string) func() error {
	return func() error {
		_, err := b.Resume(context.Background(), id, nil)
		return err
	}
}

func (b *buyer) sendOrDie(id string, send func() error) {
	b.t.Helper()
	b.dies(func() {
		err := send()
		must.Hold(b.t, err == nil || errors.Is(err, ErrEnded), id, err)
	})
}

// stands compares what the journal says of a call with the books of the service, and
// returns it.
func (b *buyer) stands(id string) State {
	b.t.Helper()
	call := must.Get(b.Call(context.Background(), id))
	_, carried := b.market.Carried()[id]
	late := b.market.Pending(id)
	switch {
	case call.State == Done && !carried,
		call.State == Refused && (carried || late),
		call.State == Sent && !call.Unsure && (carried || late),
		call.State == Prepared && carried:
		b.t.Fatalf("%s is %s (unsure %t), and it is %t that it had its effect", id, call.State, call.Unsure, carried)
	}
	return call.State
}
