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
	must "tonne/model/musttest"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/uitest"
)

// outcome returns the outcome of the n-th call.
type outcome = func(n int, again func(int, error)) (retire.Call, error)

// fakeWorkflow returns what the test sets, and records the calls it gets.
type fakeWorkflow struct {
	// supply is that of the first vintage, others are those of the others.
	supply func() (retire.Supply, error)
	others retire.Supplies
	// outcomes are those of the calls in order; the last repeats.
	outcomes []outcome
	// replaced are the ids that each plan replaced.
	replaced  [][]string
	sent      []retire.Call
	resumed   []string
	abandoned []string
	pending   []retire.Call
	// made is the journal.
	made     []retire.Call
	unusable error
	// elsewhere is the error of Recall.
	elsewhere error
}

func (f *fakeWorkflow) Supplies(_ context.Context, needs ...retire.Need) (retire.Supplies, error) {
	s, err := f.supply()
	supplies := retire.Supplies{needs[0].VintageID: s}
	for _, n := range needs {
		if n.VintageID != needs[0].VintageID {
			supplies[n.VintageID] = f.others[n.VintageID]
		}
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
	for _, id := range plan.Replaced {
		f.at(id, func(c *retire.Call) { c.GivenUp = true })
	}
	h, _ := f.Recall(ctx, plan.Calls[0].Reference)
	if err := plan.Check(h.Made); err != nil {
		return err
	}
	for _, c := range plan.Calls {
		c.State = retire.Prepared
		f.made = append(f.made, c)
	}
	f.replaced = append(f.replaced, plan.Replaced)
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
	if c.Batch != "" &&
		!slices.ContainsFunc(f.made, func(made retire.Call) bool { return made.ExternalID == c.ExternalID }) {
		f.made = append(f.made, c)
	}
	return f.send(c.ExternalID, again)
}

func (f *fakeWorkflow) Resume(_ context.Context, id string, again func(int, error)) (retire.Call, error) {
	f.resumed = append(f.resumed, id)
	return f.send(id, again)
}

func (f *fakeWorkflow) send(id string, again func(int, error)) (retire.Call, error) {
	n := len(f.sent) + len(f.resumed)
	o, err := f.outcomes[min(n, len(f.outcomes))-1](n, again)
	if o.State == retire.Planned {
		return o, err
	}
	c := f.at(id, func(c *retire.Call) {
		if err == nil {
			c.State, c.Unsure = o.State, o.State == retire.Unknown
		}
	})
	c.State, c.Unsure, c.RequestID, c.Elsewhere, c.Err = o.State, o.State == retire.Unknown, o.RequestID, o.Elsewhere,
		o.Err
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
	*uitest.Robot
	*Controller
	flow          *fakeWorkflow
	feed          *uitest.Feed
	width, height int
	// work is the queue of pending work. It is not run while held is true.
	work []effect.Work
	held bool
}

var bale = uitest.Key("003bale", 0)

func newPerson(t testing.TB) *person {
	p := &person{Robot: uitest.NewRobot(t, 0, 0), feed: &uitest.Feed{}, width: 120, height: 36}
	p.flow = &fakeWorkflow{supply: offers(400, 999_980), outcomes: []outcome{accepted}}
	p.Text = func() string { return ansi.Strip(p.frame()) + p.facts() }
	v := p.View
	v.Projects, v.Market.Market, v.Market.Status = uitest.Projects(), uitest.Market(0), uitest.Live()
	v.Book.Balances = uitest.Inventory().Balances()
	p.Controller = New(v, p.flow, p.feed)
	return p
}

// facts are lines about what the user has done.
func (p *person) facts() string {
	var ledger []string
	for _, r := range p.feed.Requests() {
		ledger = append(ledger, r.ID)
	}
	return fmt.Sprintf("\n[open %t] [sent %d] [resumed %v] [abandoned %v] [ledger %v] [%s] [said %s]",
		p.Panel != nil, len(p.flow.sent), p.flow.resumed, p.flow.abandoned, ledger, p.Mode(), uitest.LastOf(p.Said))
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

// refuses returns the outcome of a call that the service refuses with code.
func refuses(code string) outcome {
	return gives(retire.Call{State: retire.Refused,
		Err: &api.Error{Kind: api.Invalid, Status: 422, Code: code, Message: "no"}}, nil)
}

func silent(int, func(int, error)) (retire.Call, error) {
	return retire.Call{State: retire.Unknown, Err: &api.Error{Kind: api.TimedOut}}, nil
}

// gives returns an outcome. With an error, the call could not be sent or recorded.
func gives(o retire.Call, err error) outcome {
	return func(int, func(int, error)) (retire.Call, error) { return o, err }
}

// pendingCall returns an unsettled call of the journal.
func pendingCall(id string, state retire.State, unsure bool) retire.Call {
	return retire.Call{
		ExternalID: id, Reference: "2026-Q4/flight-9", State: state, Unsure: unsure, Tries: 5, MadeBy: "ann",
		MadeAt:  uitest.Now.Add(-time.Hour),
		Message: "no answer in time",
		Plan: retirement.Call{
			VintageID: bale.VintageID, Quantity: 2_500_000, FromInventory: 874_900, BuyTonnes: 2, SellOrderID: "006bale00",
			Price: 620, Cost: 1240,
			Retiree: retirement.Retiree{Name: "Your Customer Ltd", TaxID: "123456789", Country: "GB"},
		},
	}
}

// requestOf returns a request for our own behalf.
func requestOf(g model.Grams) retirement.RetireRequest {
	return retirement.RetireRequest{VintageID: bale.VintageID, Quantity: g}
}

// do carries out an effect.
func (p *person) do(e effect.Effect) {
	switch work := p.CarryOut(e).(type) {
	case effect.Work:
		p.work = append(p.work, work)
	case effect.Several:
		for _, w := range work {
			p.work = append(p.work, w.(effect.Work))
		}
	}
	for !p.held && len(p.work) > 0 {
		next := p.work[0]
		p.work = p.work[1:]
		if then, ok := next(p.View.Context).(effect.Effect); ok {
			p.do(then)
		}
	}
}

// Hold delays the work from now on.
func (p *person) Hold() { p.held = true }

// Release runs the delayed work.
func (p *person) Release() {
	p.held = false
	p.do(nil)
}

// hand is the time between two keys typed by hand.
const hand = 90 * time.Millisecond

// Press presses keys at the speed of a hand. "wait" waits until keys are accepted, and "read" scrolls to the end of a
// plan.
func (p *person) Press(names ...string) {
	p.T.Helper()
	for _, name := range names {
		switch name {
		case "wait":
			p.Now = p.Now.Add(time.Second)
		case "read":
			p.Press("wait", "pgdown", "pgdown", "pgdown", "pgdown")
		default:
			p.stroke(name, hand)
		}
	}
}

// stroke presses a key some time after the one before.
func (p *person) stroke(name string, after time.Duration) {
	p.T.Helper()
	must.Need(p.T, p.Panel != nil, "no dialog is open for the key", name)
	p.Now = p.Now.Add(after)
	p.key(uitest.Stroke(name))
}

func (p *person) key(msg tea.KeyPressMsg) {
	p.frame()
	closed, e := p.Panel.Press(msg)
	if closed {
		p.Panel = nil
	}
	p.do(e)
}

// types types a text at the speed of a hand, and then ↵.
func (p *person) types(text string) {
	p.T.Helper()
	p.Press(strings.Split(text, "")...)
	p.Press("enter")
}

// Begins fills in the form for the fixture's vintage.
func (p *person) Begins(quantity string) {
	p.T.Helper()
	p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
	p.types(quantity)
	p.Press("enter")
	p.Press(strings.Split("2026-Q4/flight-9", "")...)
}

// Plans opens a plan and reads it.
func (p *person) Plans(quantity string) {
	p.T.Helper()
	p.Begins(quantity)
	p.Press("enter", "read")
}

// Customer fills in the form for a customer, up to the country.
func (p *person) Customer(country string) {
	p.T.Helper()
	p.do(p.Begin(tab.RetireFrom{Vintage: bale}))
	p.types("3")
	p.types("Your Customer Ltd")
	p.types("123456789")
	p.Press(strings.Split(country, "")...)
}

// Plans is a scene.
func plans(quantity string) func(*person) { return func(p *person) { p.Plans(quantity) } }

// retires confirms a plan, whose calls have the outcomes.
func retires(quantity string, outcomes ...outcome) func(*person) {
	return func(p *person) {
		p.T.Helper()
		if len(outcomes) > 0 {
			p.flow.outcomes = outcomes
		}
		p.Plans(quantity)
		p.types(quantity)
	}
}

// starts starts the dashboard with unsettled calls in the journal.
func starts(pending ...retire.Call) func(*person) {
	return func(p *person) {
		p.flow.pending = slices.Clone(pending)
		p.do(p.Start())
	}
}

// FrameAt changes the size of the terminal and returns the frame.
func (p *person) FrameAt(width, height int) string {
	p.width, p.height = width, height
	return p.frame()
}

// frame returns the title and the content of the open dialog.
func (p *person) frame() string {
	if p.Panel == nil {
		return ""
	}
	w, h := p.Panel.Size(p.width-8, p.height-6)
	block := style.NewBlock(p.View.Theme, w, h)
	p.Panel.Draw(block)
	head := style.NewBlock(p.View.Theme, w, 1)
	head.Put(style.Heading, p.Panel.Title())
	return style.Stack(head.String(), block.String())
}

var _ Ledger = (*session.Session)(nil)
