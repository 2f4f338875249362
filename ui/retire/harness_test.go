package retire

import (
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
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// fakeWorkflow returns what the test sets, and records the calls it gets.
type fakeWorkflow struct {
	// supply is that of the first vintage, others are those of the others.
	supply  func() (retire.Supply, error)
	others  retire.Supplies
	outcome func(n int, again func(int, error)) (retire.Call, error)
	// confirmed are the ids of each plan, and replaced the ids that each plan replaced.
	confirmed, replaced [][]string
	sent                []retire.Call
	resumed             []string
	abandoned           []string
	pending             []retire.Call
	// made is the journal.
	made     []retire.Call
	unusable error
	// elsewhere is the error of Recall.
	elsewhere error
}

func (f *fakeWorkflow) Supplies(_ context.Context, vintages ...string) (retire.Supplies, error) {
	s, err := f.supply()
	supplies := retire.Supplies{vintages[0]: s}
	for _, id := range vintages[1:] {
		supplies[id] = f.others[id]
	}
	return supplies.Clone(), err
}

func (f *fakeWorkflow) Calls(context.Context, retire.Query) ([]retire.Call, error) {
	return slices.Concat(f.made, f.pending), f.unusable
}

func (f *fakeWorkflow) Recall(_ context.Context, reference string) (h retire.History, err error) {
	for _, c := range slices.Concat(f.made, f.pending) {
		if c.Reference == reference {
			h.Made = append(h.Made, c)
		}
	}
	return h, f.elsewhere
}

func (f *fakeWorkflow) Confirm(ctx context.Context, plan retire.Confirmed) error {
	var ids []string
	for _, id := range plan.Replaced {
		f.at(id, func(c *retire.Call) { c.GivenUp = true })
	}
	if h, _ := f.Recall(ctx, plan.Calls[0].Reference); plan.Known >= 0 && plan.Known != len(h.Made) {
		return retire.ErrHeld
	}
	for _, c := range plan.Calls {
		ids = append(ids, c.ExternalID)
		c.State = retire.Prepared
		f.made = append(f.made, c)
	}
	f.confirmed, f.replaced = append(f.confirmed, ids), append(f.replaced, plan.Replaced)
	return nil
}

// at changes a call in the journal.
func (f *fakeWorkflow) at(id string, change func(*retire.Call)) (changed retire.Call) {
	for _, calls := range [][]retire.Call{f.made, f.pending} {
		for i := range calls {
			if calls[i].ExternalID == id {
				change(&calls[i])
				changed = calls[i]
			}
		}
	}
	return changed
}

func (f *fakeWorkflow) SendNew(_ context.Context, c retire.Call, again func(int, error)) (retire.Call, error) {
	f.sent = append(f.sent, c)
	if c.Batch != "" && !slices.ContainsFunc(f.made, func(made retire.Call) bool { return made.ExternalID == c.ExternalID }) {
		f.made = append(f.made, c)
	}
	return f.send(c.ExternalID, again)
}

func (f *fakeWorkflow) Resume(_ context.Context, id string, again func(int, error)) (retire.Call, error) {
	f.resumed = append(f.resumed, id)
	return f.send(id, again)
}

func (f *fakeWorkflow) send(id string, again func(int, error)) (retire.Call, error) {
	o, err := f.outcome(len(f.sent)+len(f.resumed), again)
	if o.State == retire.Planned {
		return o, err
	}
	c := f.at(id, func(c *retire.Call) {
		if err == nil {
			c.State, c.Unsure = o.State, o.State == retire.Unknown
		}
	})
	c.State, c.Unsure, c.RequestID, c.Elsewhere, c.Err = o.State, o.State == retire.Unknown, o.RequestID, o.Elsewhere, o.Err
	return c, err
}

func (f *fakeWorkflow) Unsettled(context.Context) ([]retire.Call, error) {
	return f.pending, f.unusable
}

func (f *fakeWorkflow) Remember(context.Context, []*retire.Call) error { return nil }

func (f *fakeWorkflow) Abandon(_ context.Context, id string) (retire.Call, error) {
	f.abandoned = append(f.abandoned, id)
	c := f.at(id, func(c *retire.Call) { c.GivenUp = true })
	f.pending = slices.DeleteFunc(f.pending, func(c retire.Call) bool { return c.ExternalID == id })
	return c, nil
}

// person simulates a user who types at a human speed.
type person struct {
	uitest.Screen
	uitest.Effects
	*Controller
	flow          *fakeWorkflow
	feed          *uitest.Feed
	now           time.Time
	width, height int
	// work is the queue of pending work. It is not run while held is true.
	work []effect.Work
	held bool
}

var bale = uitest.Key("003bale", 0)

func newPerson(t testing.TB) *person {
	p := &person{now: uitest.Now, feed: &uitest.Feed{}, width: 120, height: 36}
	p.flow = &fakeWorkflow{supply: offers(400, 999_980), outcome: accepted}
	p.Screen = uitest.Screen{T: t, Text: func() string { return ansi.Strip(p.frame()) }}
	v := &tab.View{Theme: style.NewTheme(style.Mono), Location: time.UTC, Now: func() time.Time { return p.now }, Context: t.Context(), Projects: uitest.Projects()}
	v.Market.Market, v.Market.Status = uitest.Market(0), uitest.Live()
	inv := uitest.Inventory()
	v.Book.Balances = inv.Balances()
	p.Controller = New(v, p.flow, p.feed)
	return p
}

// starts returns a person whose dashboard starts with unsettled calls in the journal.
func starts(t testing.TB, pending []retire.Call) *person {
	p := newPerson(t)
	p.flow.pending = pending
	p.do(p.Start())
	p.waits(time.Second)
	return p
}

// offers returns a supply with two sell orders, of which the first has the given
// tonnes, and a wallet with held grams.
func offers(tonnes, held model.Grams) func() (retire.Supply, error) {
	return func() (retire.Supply, error) {
		orders := []market.SellOrder{
			{ID: "006bale00", Quantity: tonnes * model.GramsPerTonne, Price: 620},
			{ID: "006bale01", Quantity: 600 * model.GramsPerTonne, Price: 651},
		}
		return retire.Supply{Book: market.NewBook(orders), Held: held}, nil
	}
}

func accepted(n int, _ func(int, error)) (retire.Call, error) {
	return retire.Call{State: retire.Done, RequestID: fmt.Sprintf("00mrequest%08d", n)}, nil
}

// refusedWith returns the outcome of a call that the service refuses with code.
func refusedWith(code string) func(int, func(int, error)) (retire.Call, error) {
	return func(int, func(int, error)) (retire.Call, error) {
		return retire.Call{State: retire.Refused, Err: &api.Error{Kind: api.Invalid, Status: 422, Code: code, Message: "no"}}, nil
	}
}

func silent(int, func(int, error)) (retire.Call, error) {
	return retire.Call{State: retire.Unknown, Err: &api.Error{Kind: api.TimedOut}}, nil
}

// do runs an effect.
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

// settle runs the pending work, unless it is held.
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
		p.T.Fatalf("no dialog is open for the key %q", name)
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

// hand is the time between two keys typed by hand.
const hand = 90 * time.Millisecond

// press presses keys at the speed of a hand.
func (p *person) press(names ...string) {
	p.T.Helper()
	for _, name := range names {
		p.stroke(name, hand)
	}
}

// types types a text at the speed of a hand.
func (p *person) types(text string) {
	p.T.Helper()
	p.press(strings.Split(text, "")...)
}

func (p *person) waits(d time.Duration) { p.now = p.now.Add(d) }

// later waits until keys are accepted, and presses some.
func (p *person) later(names ...string) {
	p.T.Helper()
	p.waits(time.Second)
	p.press(names...)
}

// confirms types the quantity of a plan when keys are accepted.
func (p *person) confirms(quantity string) {
	p.T.Helper()
	p.waits(time.Second)
	p.types(quantity)
	p.press("enter")
}

// begins fills in the form for the fixture's vintage.
func (p *person) begins(quantity string) {
	p.T.Helper()
	p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
	p.types(quantity)
	p.press("enter", "enter")
	p.types("2026-Q4/flight-9")
}

// plans opens a plan and scrolls to its end.
func (p *person) plans(quantity string) {
	p.T.Helper()
	p.begins(quantity)
	p.press("enter")
	p.later("pgdown", "pgdown", "pgdown", "pgdown")
}

// retires confirms a plan.
func (p *person) retires(quantity string) {
	p.T.Helper()
	p.plans(quantity)
	p.types(quantity)
	p.press("enter")
}

// frame returns the title and the content of the open dialog.
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

// added returns the ids of the requests that were added to the ledger.
func (p *person) added() (ids []string) {
	for _, r := range p.feed.Requests() {
		ids = append(ids, r.ID)
	}
	return ids
}

var _ Ledger = (*session.Session)(nil)
