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
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Workflow is what retires; without one nothing can be retired. Its methods wait, so
// only work outside the update loop calls them. *retire.Workflow is one, and
// documents the errors.
type Workflow interface {
	retire.Steps
	Unsettled(ctx context.Context) ([]retire.Call, error)
	Barred(ctx context.Context) (bool, error)
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
	// was read last, and underWay those that a program was sending.
	unfinished, underWay []retire.Call
	// barred says that the service turned the newest call away for the key's role.
	barred bool
	// reads counts the reads of the journal: an older answer is not taken.
	reads int
	// gathering are the requests that still take fractions, by vintage.
	gathering map[string]string
	// Alarm begins the titles of all dialogs of a place where mistakes cost money,
	// such as PRODUCTION; empty anywhere else.
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
		var barred bool
		if err == nil {
			barred, err = r.flow.Barred(ctx)
		}
		return effect.Then(func() effect.Effect {
			if err == nil && read == r.reads {
				r.take(calls)
				r.barred = barred
			}
			return then(err)
		})
	})
}

// take keeps calls of the journal. Those that a person can settle come first.
func (r *Controller) take(calls []retire.Call) {
	r.unfinished, r.underWay = nil, nil
	var givenUp []retire.Call
	for _, c := range calls {
		switch {
		case c.UnderWay:
			r.underWay = append(r.underWay, c)
		case c.GivenUp:
			givenUp = append(givenUp, c)
		default:
			r.unfinished = append(r.unfinished, c)
		}
	}
	r.unfinished = append(r.unfinished, givenUp...)
}

// Recount takes what other programs did to the journal.
func (r *Controller) Recount() effect.Effect {
	return r.readJournal(func(error) effect.Effect { return nil })
}

// Out reports whether a call is on its way.
func (r *Controller) Out() bool { return r.out > 0 }

// Barred reports whether the role of the key is known not to do. The interface
// says so of a key that is used, and of no other.
func (r *Controller) Barred() bool {
	return r.barred || api.KindOf(r.view.Market.Status.Err) == api.Forbidden
}

// Mode is what the header says: that the program can retire, or that the role is
// missing, and of how many calls the outcome is not known, or how many were
// confirmed and not sent.
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
		if a != nil && a.Status == model.Open && a.Type == model.Fractionalised && a.CreatedAt.Known() && a.CreatedAt.Time.UTC().Format(month) == now {
			r.gathering[a.VintageID] = request.ID
		}
	}
}

// Begin lays the form over the tab.
func (r *Controller) Begin(from tab.RetireFrom) effect.Effect {
	return effect.Show{Panel: newDialog(r, from)}
}

// Unfinished shows the calls that are not settled, and reads them again.
func (r *Controller) Unfinished() effect.Effect {
	return effect.Batch(effect.Show{Panel: newUnfinished(r)}, r.Recount())
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

func (r *Controller) vintageName(key model.VintageKey) string {
	return r.view.Projects.Name(key.ProjectID) + " · " + r.view.VintageName(key)
}
