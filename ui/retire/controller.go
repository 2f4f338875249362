// Package retire has the dashboard's retirement dialogs: the form, the plan with all
// its numbers, the typed confirmation, the outcome, and the list of unresolved calls.
// It reads keys and draws. Planning, sending and the journal are in api/retire. Start
// reading at Controller.
package retire

import (
	"context"
	"slices"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Workflow plans, sends and abandons calls; *retire.Workflow implements it. Its
// methods block, so they run only in an effect.Work, outside the update loop.
type Workflow interface {
	retire.Steps
	Unsettled(ctx context.Context) ([]retire.Call, error)
	Calls(ctx context.Context, q retire.Query) ([]retire.Call, error)
	Remember(ctx context.Context, calls []*retire.Call) error
}

// Ledger tracks the retirement requests of calls that succeeded.
type Ledger interface {
	Add(entries ...session.Entry)
	OpenLedger()
	Refresh()
}

// Controller owns the retirement dialogs of one dashboard. Create one with New.
type Controller struct {
	view   *tab.View
	flow   Workflow
	ledger Ledger
	// out counts the submissions in flight.
	out int
	// unfinished are the calls that the user has to settle, and underWay counts the
	// calls that a program was sending, both as of the last read of the journal.
	unfinished []retire.Call
	underWay   int
	// reads counts the reads of the journal, so that the result of an older read is dropped.
	reads int
	// gathering maps each vintage to the request of this month that still takes fractions.
	gathering map[string]string
	// Alarm is a prefix of all titles, such as PRODUCTION. It may be empty.
	Alarm string
}

// New returns a controller without open dialogs.
func New(v *tab.View, w Workflow, l Ledger) *Controller {
	return &Controller{view: v, flow: w, ledger: l}
}

func (r *Controller) titled(title string) string {
	if r.Alarm == "" {
		return title
	}
	return r.Alarm + " · " + title
}

// Start lists the calls of earlier runs that the user can send or abandon, if there are any.
func (r *Controller) Start() effect.Effect {
	return r.readJournal(func(failed error) effect.Effect {
		switch {
		case failed != nil:
			return effect.Warn("Cannot read the retirement journal: " + failed.Error() + ".")
		case slices.ContainsFunc(r.unfinished, retire.Call.Open):
			return r.Unfinished()
		}
		return nil
	})
}

func (r *Controller) readJournal(then func(failed error) effect.Effect) effect.Effect {
	r.reads++
	read := r.reads
	return effect.Work(func(ctx context.Context) any {
		calls, err := r.flow.Unsettled(ctx)
		return effect.Then(func() effect.Effect {
			if err == nil && read == r.reads {
				r.unfinished = slices.DeleteFunc(slices.Clone(calls), func(c retire.Call) bool { return c.UnderWay })
				r.underWay = len(calls) - len(r.unfinished)
				slices.SortStableFunc(r.unfinished, func(a, b retire.Call) int { return givenUp(a) - givenUp(b) })
			}
			return then(err)
		})
	})
}

func givenUp(c retire.Call) int {
	if c.GivenUp {
		return 1
	}
	return 0
}

// Recount reads the journal again, since other programs write to it.
func (r *Controller) Recount() effect.Effect {
	return r.readJournal(func(error) effect.Effect { return nil })
}

// Out reports whether a call is in flight.
func (r *Controller) Out() bool { return r.out > 0 }

// Unconfirmed counts the calls with an unknown outcome that the user can send again or abandon.
func (r *Controller) Unconfirmed() int {
	return len(slices.DeleteFunc(retire.NotKnown(r.unfinished), func(c retire.Call) bool { return !c.Open() }))
}

// Barred reports whether the API key lacks the role for retiring. This is known only
// from a 403: in the market data, or in the answer to an unfinished call.
func (r *Controller) Barred() bool {
	const forbidden = 403
	return api.KindOf(r.view.Market.Status.Err) == api.Forbidden ||
		slices.ContainsFunc(r.unfinished, func(c retire.Call) bool { return c.TurnedAway == forbidden && !c.GivenUp })
}

// Mode returns the retirement status for the header: whether the program can retire,
// and the number of unresolved calls or, without any, of calls that were not sent.
func (r *Controller) Mode() string {
	mode := "CAN RETIRE"
	if r.Barred() {
		mode = "role missing"
	}
	unknown := len(retire.NotKnown(r.unfinished))
	switch unsent := len(r.unfinished) - unknown; {
	case unknown > 0:
		return mode + " · " + tab.Number(int64(unknown)) + " unresolved"
	case unsent > 0:
		return mode + " · " + tab.Number(int64(unsent)) + " not sent"
	}
	return mode
}

// Hear updates the requests that still take fractions from a session.LedgerEvent.
func (r *Controller) Hear(e session.Event) {
	ledger, ok := e.(session.LedgerEvent)
	if !ok {
		return
	}
	const month = "2006-01"
	now := r.view.Now().UTC().Format(month)
	r.gathering = make(map[string]string)
	for _, request := range ledger.Requests {
		a := request.Answer
		if a != nil && a.Status == retirement.Open && a.Type == retirement.Fractionalised && a.CreatedAt.Known() &&
			a.CreatedAt.Time.UTC().Format(month) == now {
			r.gathering[a.VintageID] = request.ID
		}
	}
}

func (r *Controller) vintage(key model.VintageKey) string {
	return r.view.Projects.Name(key.ProjectID) + " · " + r.view.VintageName(key)
}

// Begin opens the form.
func (r *Controller) Begin(from tab.RetireFrom) effect.Effect {
	d := &dialog{controller: r, from: from}
	d.kind = single{d}
	if len(from.Basket) > 0 {
		d.kind = basket{d}
	}
	d.form = d.newForm()
	return effect.Show{Panel: d}
}

// Unfinished opens the list of unsettled calls and reads the journal again.
func (r *Controller) Unfinished() effect.Effect {
	u := &unfinished{controller: r}
	u.goTo(0)
	u.guard.close(r.view.Now())
	return effect.Batch(effect.Show{Panel: u}, r.Recount())
}

func (r *Controller) back(requests ...string) effect.Effect {
	r.out--
	if len(requests) > 0 {
		entries := make([]session.Entry, len(requests))
		for i, id := range requests {
			entries[i].ID = id
		}
		r.ledger.Add(entries...)
		r.ledger.OpenLedger()
		r.ledger.Refresh()
	}
	return r.Recount()
}
