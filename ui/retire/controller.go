// Package retire is where a person at the dashboard retires: the form, the plan with
// every number, the confirmation by hand, and the outcome. It reads input and draws;
// what happens is decided in api/retire.
package retire

import (
	"context"
	"slices"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/session"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Workflow is what retires, such as *retire.Workflow. Its methods wait, so only work
// outside the update loop calls them.
type Workflow interface {
	retire.Steps
	Unsettled(ctx context.Context) ([]retire.Call, error)
	Remember(ctx context.Context, calls []*retire.Call) error
}

// Ledger is where the requests of calls that are done are followed.
type Ledger interface {
	Add(entries ...session.Entry)
	OpenLedger()
	Refresh()
}

// Controller is all that retires at one dashboard. New makes one.
type Controller struct {
	view   *tab.View
	flow   Workflow
	ledger Ledger
	// out counts the submissions that are being sent.
	out int
	// unfinished are the calls that a person has to settle, as the journal was when it
	// was read last, and underWay is how many a program was sending.
	unfinished []retire.Call
	underWay   int
	// reads counts the reads of the journal: an older answer is not taken.
	reads int
	// gathering are the requests that still take fractions, by vintage.
	gathering map[string]string
	// Alarm begins all titles where mistakes cost money, such as PRODUCTION, or is empty.
	Alarm string
}

// New returns a controller.
func New(v *tab.View, w Workflow, l Ledger) *Controller {
	return &Controller{view: v, flow: w, ledger: l}
}

func (r *Controller) titled(title string) string {
	if r.Alarm == "" {
		return title
	}
	return r.Alarm + " · " + title
}

// Start shows the calls of earlier runs that a person may send or give up.
func (r *Controller) Start() effect.Effect {
	return r.readJournal(func(failed error) effect.Effect {
		switch {
		case failed != nil:
			return effect.Warn("The journal of calls that retire cannot be read: " + failed.Error() + ".")
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

// givenUp puts calls behind others that were given up.
func givenUp(c retire.Call) int {
	if c.GivenUp {
		return 1
	}
	return 0
}

// Recount takes what other programs did to the journal.
func (r *Controller) Recount() effect.Effect {
	return r.readJournal(func(error) effect.Effect { return nil })
}

// Out reports whether a call is on its way.
func (r *Controller) Out() bool { return r.out > 0 }

// Barred reports whether the role of the key is known not to do. The interface
// says so of a key that is used, and of no other: here or for a call that is unfinished.
func (r *Controller) Barred() bool {
	const forbidden = 403
	return api.KindOf(r.view.Market.Status.Err) == api.Forbidden ||
		slices.ContainsFunc(r.unfinished, func(c retire.Call) bool { return c.TurnedAway == forbidden && !c.GivenUp })
}

// Mode is what the header says: whether the program can retire, and of how many calls the
// outcome is not known, or how many were confirmed and not sent.
func (r *Controller) Mode() string {
	mode := "CAN RETIRE"
	if r.Barred() {
		mode = "role missing"
	}
	unknown := len(retire.NotKnown(r.unfinished))
	switch unsent := len(r.unfinished) - unknown; {
	case unknown > 0:
		return mode + " · " + tab.Number(int64(unknown)) + " not known"
	case unsent > 0:
		return mode + " · " + tab.Number(int64(unsent)) + " not sent"
	}
	return mode
}

// Hear takes from news of the feed which requests still take fractions.
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
		if a != nil && a.Status == retirement.Open && a.Type == retirement.Fractionalised && a.CreatedAt.Known() && a.CreatedAt.Time.UTC().Format(month) == now {
			r.gathering[a.VintageID] = request.ID
		}
	}
}

// Begin lays the form over the tab.
func (r *Controller) Begin(from tab.RetireFrom) effect.Effect {
	d := &dialog{controller: r, from: from}
	d.form = d.newForm()
	return effect.Show{Panel: d}
}

// Unfinished shows the calls that are not settled, and reads them again.
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
