package retire

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/retire/journal"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// fakeDesk answers as a test says, and notes what it was asked for.
type fakeDesk struct {
	supply  func() (retire.Supply, error)
	outcome func(n int, asking func(int, error)) (retire.Outcome, error)
	// confirmed are the ids of each plan, and instead those that they took the
	// place of.
	confirmed, instead [][]string
	orders             []retire.Order
	resumed            []string
	givenUp            []string
	pending            []journal.Call
	barred             bool
	// made is the journal as far as calls with a reference are in it.
	made     []journal.Call
	unusable error
	// elsewhere is what Recall returns for what the journal does not know.
	elsewhere error
	// ids counts the ids that were made.
	ids int
}

func (d *fakeDesk) Supply(context.Context, string) (retire.Supply, error) { return d.supply() }

func (d *fakeDesk) Recall(_ context.Context, reference string) (calls []journal.Call, err error) {
	for _, c := range d.made {
		if reference != "" && c.Reference == reference {
			calls = append(calls, c)
		}
	}
	return calls, d.elsewhere
}

func (d *fakeDesk) NewIDs(string, string, model.RetireRequest, []journal.Call) func(model.RetireCall) string {
	return func(model.RetireCall) string {
		d.ids++
		return fmt.Sprintf("tonne-%026d", d.ids)
	}
}

func (d *fakeDesk) Confirm(ctx context.Context, plan retire.Plan) error {
	var ids []string
	for _, id := range plan.Instead {
		d.at(id, func(c *journal.Call) { c.GivenUp = true })
	}
	for _, o := range plan.Orders {
		recalled, _ := d.Recall(ctx, o.Reference)
		if made, _ := retire.Serving(recalled, o.Wish); len(ids) == 0 && plan.Known >= 0 && plan.Known != len(made) {
			return journal.ErrHeld
		}
		ids = append(ids, o.ExternalID)
	}
	for _, o := range plan.Orders {
		d.made = append(d.made, journal.Call{ExternalID: o.ExternalID, Reference: o.Reference, Wish: o.Wish, Plan: o.Call, State: journal.Prepared})
	}
	d.confirmed, d.instead = append(d.confirmed, ids), append(d.instead, slices.Clone(plan.Instead))
	return nil
}

// at changes what is written down of a call.
func (d *fakeDesk) at(id string, change func(*journal.Call)) {
	for i := range d.made {
		if d.made[i].ExternalID == id {
			change(&d.made[i])
		}
	}
}

func (d *fakeDesk) Retire(_ context.Context, o retire.Order, asking func(int, error)) (retire.Outcome, error) {
	d.orders = append(d.orders, o)
	return d.keep(o.ExternalID, asking)
}

func (d *fakeDesk) Resume(_ context.Context, id string, asking func(int, error)) (retire.Outcome, error) {
	d.resumed = append(d.resumed, id)
	return d.keep(id, asking)
}

func (d *fakeDesk) keep(id string, asking func(int, error)) (retire.Outcome, error) {
	outcome, err := d.outcome(len(d.orders)+len(d.resumed), asking)
	d.at(id, func(c *journal.Call) {
		c.State, c.Unsure = cmp.Or(outcome.State, c.State), outcome.State == journal.Unknown
	})
	return outcome, err
}

func (d *fakeDesk) Unfinished(context.Context) ([]journal.Call, error) { return d.pending, d.unusable }

func (d *fakeDesk) Barred(context.Context) (bool, error) { return d.barred, nil }

func (d *fakeDesk) GiveUp(_ context.Context, id string) (journal.Call, error) {
	d.givenUp = append(d.givenUp, id)
	d.at(id, func(c *journal.Call) { c.GivenUp = true })
	if len(d.pending) == 0 {
		return journal.Call{}, nil
	}
	call := d.pending[0]
	d.pending = d.pending[1:]
	return call, nil
}

// person is somebody at the dialogs of a room, who types at the speed of a hand.
type person struct {
	uitest.Screen
	uitest.Effects
	*Room
	desk          *fakeDesk
	feed          *uitest.Feed
	now           time.Time
	width, height int
	// work is what was asked for and not done yet, held that it waits.
	work []effect.Work
	held bool
}

var bale = uitest.Key("003bale", 0)

func newPerson(t testing.TB) *person {
	p := &person{now: uitest.Now, feed: &uitest.Feed{}, width: 120, height: 36}
	p.desk = &fakeDesk{supply: offers(400, 999_980), outcome: accepted}
	p.Screen = uitest.Screen{T: t, Text: func() string { return ansi.Strip(p.frame()) }}
	v := &tab.View{Theme: style.NewTheme(style.Mono), Location: time.UTC, Now: func() time.Time { return p.now }, Context: t.Context(), Projects: uitest.Projects()}
	v.Market.Market, v.Market.Status = uitest.Market(0), uitest.Live()
	inv := uitest.Inventory()
	v.LastPaid.Balances = inv.Balances()
	p.Room = New(v, p.desk, p.feed)
	return p
}

// offers is a supply of the fixtures' book and a wallet, in grams. The first
// order sells so many tonnes.
func offers(tonnes, held model.Grams) func() (retire.Supply, error) {
	return func() (retire.Supply, error) {
		orders := []model.SellOrder{
			{ID: "006bale00", Quantity: tonnes * model.GramsPerTonne, Price: 620},
			{ID: "006bale01", Quantity: 600 * model.GramsPerTonne, Price: 651},
		}
		return retire.Supply{Book: model.NewBook(orders), Held: held}, nil
	}
}

func accepted(n int, _ func(int, error)) (retire.Outcome, error) {
	return retire.Outcome{State: journal.Done, RequestID: fmt.Sprintf("00mrequest%08d", n)}, nil
}

// refusedWith is the outcome of a call that the service refuses.
func refusedWith(code string) func(int, func(int, error)) (retire.Outcome, error) {
	return func(int, func(int, error)) (retire.Outcome, error) {
		return retire.Outcome{State: journal.Refused, Err: &api.Error{Kind: api.Invalid, Status: 422, Code: code, Message: "no"}}, nil
	}
}

func silent(int, func(int, error)) (retire.Outcome, error) {
	return retire.Outcome{State: journal.Unknown, Err: &api.Error{Kind: api.TimedOut}}, nil
}

// do carries out what was asked for.
func (p *person) do(e effect.Effect) {
	switch e := e.(type) {
	case nil:
	case effect.Several:
		for _, one := range e {
			p.do(one)
		}
	case effect.Then:
		p.do(e())
	case effect.Work:
		p.work = append(p.work, e)
		p.settle()
	case effect.Toast:
		p.Said = append(p.Said, e.Text)
	case effect.Show:
		p.Panel = e.Panel
	}
}

// settle does the work that is left, unless it is held back.
func (p *person) settle() {
	for !p.held && len(p.work) > 0 {
		next := p.work[0]
		p.work = p.work[1:]
		if then, ok := next(p.view.Context).(effect.Effect); ok {
			p.do(then)
		}
	}
}

// stroke presses a key some time after the one before.
func (p *person) stroke(name string, after time.Duration) {
	p.T.Helper()
	if p.Panel == nil {
		p.T.Fatalf("there is no dialog for %q", name)
	}
	p.now = p.now.Add(after)
	p.key(uitest.Stroke(name))
}

func (p *person) key(msg tea.KeyPressMsg) {
	p.frame()
	panel := p.Panel
	closed, e := panel.Press(msg)
	if closed {
		p.Panel = nil
	}
	p.do(e)
}

// hand is how fast a hand types.
const hand = 90 * time.Millisecond

// press presses keys as a hand does.
func (p *person) press(names ...string) {
	p.T.Helper()
	for _, name := range names {
		p.stroke(name, hand)
	}
}

// types types a text as a hand does.
func (p *person) types(text string) {
	p.T.Helper()
	p.press(strings.Split(text, "")...)
}

// waits lets time pass.
func (p *person) waits(d time.Duration) { p.now = p.now.Add(d) }

// begins to retire of the fixtures' vintage.
func (p *person) begins(quantity string) {
	p.T.Helper()
	p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
	p.types(quantity)
	p.press("enter", "enter")
	p.types("2026-Q4/flight-9")
}

// plans leads to the review of a plan, and reads it.
func (p *person) plans(quantity string) {
	p.T.Helper()
	p.begins(quantity)
	p.press("enter")
	p.waits(time.Second)
	p.press("pgdown", "pgdown", "pgdown", "pgdown")
}

// retires leads to what became of it.
func (p *person) retires(quantity string) {
	p.T.Helper()
	p.plans(quantity)
	p.types(quantity)
	p.press("enter")
}

// frame is the dialog in its frame, as the program draws it.
func (p *person) frame() string {
	if p.Panel == nil {
		return ""
	}
	w, h := p.Panel.Size(p.width-8, p.height-6)
	block := style.NewBlock(p.view.Theme, w, h)
	p.Panel.Draw(block)
	head := style.NewBlock(p.view.Theme, w, 1)
	head.Put(style.Heading, p.Panel.Title())
	return style.Stack(head.String(), block.String())
}

// news is what the ledger was asked for.
func (p *person) added() (ids []string) {
	for _, r := range p.feed.Requests() {
		ids = append(ids, r.ID)
	}
	return ids
}

var _ Ledger = (*session.Session)(nil)
