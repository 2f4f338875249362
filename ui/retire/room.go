// Package retire is where a person at the dashboard retires: the form, the
// plan with every number, the confirmation by hand, and what became of it.
package retire

import (
	"context"
	"slices"
	"time"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/retire/journal"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// Desk is what retires and what remembers it. Who has none cannot retire. Its
// methods wait, so they are called by work away from the screen alone;
// *retire.Desk is one, and says what the errors are.
type Desk interface {
	Supply(ctx context.Context, vintage string) (retire.Supply, error)
	Recall(ctx context.Context, reference string) ([]journal.Call, error)
	NewIDs(reference, wish string, of model.RetireRequest, made []journal.Call) func(model.RetireCall) string
	Confirm(ctx context.Context, p retire.Plan) error
	Retire(ctx context.Context, o retire.Order, asking func(tries int, err error)) (retire.Outcome, error)
	Resume(ctx context.Context, externalID string, asking func(tries int, err error)) (retire.Outcome, error)
	Unfinished(ctx context.Context) ([]journal.Call, error)
	Barred(ctx context.Context) (bool, error)
	GiveUp(ctx context.Context, externalID string) (journal.Call, error)
}

// Ledger is where the requests of calls that are done are followed.
type Ledger interface {
	Add(entries ...session.Entry)
	OpenLedger()
	Refresh()
}

// Room is all that retires at one dashboard. New makes one.
type Room struct {
	view   *tab.View
	desk   Desk
	ledger Ledger
	// out counts the rounds of calls that are on their way.
	out int
	// unfinished are the calls that somebody has to settle by what the journal
	// said when it was read last, and underWay those that a program was sending.
	unfinished, underWay []journal.Call
	// barred says that the service turned the newest call away for the key's role.
	barred bool
	// reads counts how often it was asked for: an older answer is not taken.
	reads int
	// gathering are the requests that still take fractions, by vintage.
	gathering map[string]string
	// Alarm begins the titles of all dialogs of a place where mistakes cost money,
	// such as PRODUCTION; empty anywhere else.
	Alarm string
}

// New returns a room.
func New(v *tab.View, d Desk, l Ledger) *Room {
	return &Room{view: v, desk: d, ledger: l}
}

// titled is the title of a dialog.
func (r *Room) titled(title string) string {
	if r.Alarm == "" {
		return title
	}
	return r.Alarm + " · " + title
}

// Start shows the calls of earlier runs that a person may send or give up.
func (r *Room) Start() effect.Effect {
	return r.readJournal(func(failed error) effect.Effect {
		switch {
		case failed != nil:
			return effect.Warn("The journal of calls that retire cannot be read: " + failed.Error() + ".")
		case slices.ContainsFunc(r.unfinished, journal.Call.Open):
			return r.Unfinished()
		}
		return nil
	})
}

// readJournal reads the journal anew, and then asks for more.
func (r *Room) readJournal(then func(failed error) effect.Effect) effect.Effect {
	r.reads++
	read := r.reads
	return effect.Work(func(ctx context.Context) any {
		calls, err := r.desk.Unfinished(ctx)
		var barred bool
		if err == nil {
			barred, err = r.desk.Barred(ctx)
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
func (r *Room) take(calls []journal.Call) {
	r.unfinished, r.underWay = nil, nil
	var givenUp []journal.Call
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
func (r *Room) Recount() effect.Effect {
	return r.readJournal(func(error) effect.Effect { return nil })
}

// Out reports whether a call is on its way.
func (r *Room) Out() bool { return r.out > 0 }

// Barred reports whether the role of the key is known not to do. The interface
// says so of a key that is used, and of no other.
func (r *Room) Barred() bool {
	return r.barred || api.KindOf(r.view.Market.Status.Err) == api.Forbidden
}

// Mode is what the header says: that the program can retire, or that the role is
// missing, and of how many calls the outcome is not known, or how many were
// confirmed and not sent.
func (r *Room) Mode() string {
	mode := "CAN RETIRE"
	if r.Barred() {
		mode = "role missing"
	}
	unknown := len(journal.NotKnown(r.unfinished))
	switch unsent := len(r.unfinished) - unknown; {
	case unknown > 0:
		return mode + " · " + tab.Number(int64(unknown)) + " not known"
	case unsent > 0:
		return mode + " · " + tab.Number(int64(unsent)) + " not sent"
	}
	return mode
}

// Hear takes from news of the feed which requests still take fractions.
func (r *Room) Hear(e session.Event) {
	ledger, ok := e.(session.LedgerEvent)
	if !ok {
		return
	}
	r.gathering = make(map[string]string)
	for _, request := range ledger.Requests {
		if a := request.Answer; a != nil && a.Status == model.Open && a.Type == model.Fractionalised && r.isOfThisMonth(a.CreatedAt) {
			r.gathering[a.VintageID] = request.ID
		}
	}
}

func (r *Room) isOfThisMonth(t model.Timestamp) bool {
	const month = "2006-01"
	return t.Known() && t.Time.UTC().Format(month) == r.view.Now().UTC().Format(month)
}

// Begin lays the form over the tab.
func (r *Room) Begin(from tab.RetireFrom) effect.Effect {
	return effect.Show{Panel: newDialog(r, from)}
}

// Unfinished lays the calls over the tab that are not settled, and reads them
// anew.
func (r *Room) Unfinished() effect.Effect {
	return effect.Batch(effect.Show{Panel: newUnfinished(r)}, r.Recount())
}

// sent counts a round of calls that goes out.
func (r *Room) sent() { r.out++ }

// back takes what became of a round of calls: requests go into the ledger, where
// they are followed.
func (r *Room) back(requests ...string) effect.Effect {
	r.out--
	requests = slices.DeleteFunc(requests, func(id string) bool { return id == "" })
	if len(requests) > 0 {
		entries := make([]session.Entry, len(requests))
		for i, id := range requests {
			entries[i].ID = id
		}
		r.ledger.Add(entries...)
		r.ledger.OpenLedger()
		r.ledger.Refresh()
	}
	return r.readJournal(func(error) effect.Effect { return nil })
}

// inTheWay is why a wish cannot be planned with a reference while a call that
// serves the same, and is of no batch, is not settled: errDoubt, or errUnsent for
// one that was never sent. That has served nothing: with a reference a new plan
// takes its place. It is nil where no call stands in the way.
func (r *Room) inTheWay(reference string, w model.RetireRequest) (why error) {
	for _, c := range slices.Concat(r.unfinished, r.underWay) {
		switch {
		case c.Batch != "" || c.Reference != reference || !retire.SameWish(c.Wish, retire.WishText(w)):
		case !c.Planned():
			return errDoubt
		case reference == "":
			why = errUnsent
		}
	}
	return why
}

// vintageName names a vintage in a title.
func (r *Room) vintageName(key model.VintageKey) string {
	return r.view.Projects.Name(key.ProjectID) + " · " + r.view.VintageName(key)
}

// month is the month of a moment, by which the service gathers fractions.
func month(t time.Time) string { return t.UTC().Month().String() }
