package retirement

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
)

// entries are the requests of the ledger, including edits that the session has not confirmed
// yet. The next key must already see them.
type entries struct {
	ledger *ledger.Ledger
	// known is the last list of the session, oldest first. added are not in it yet.
	known, added []*session.Request
	// leaving are the ids that were removed but are still in known. If another terminal adds
	// them again later, they are shown.
	leaving map[string]bool
}

func (e *entries) receive(requests []*session.Request) {
	e.known = requests
	if len(e.added) == 0 && len(e.leaving) == 0 {
		return
	}
	there := make(map[string]bool, len(requests))
	for _, r := range requests {
		there[r.ID] = true
	}
	e.added = slices.DeleteFunc(e.added, func(r *session.Request) bool { return there[r.ID] })
	maps.DeleteFunc(e.leaving, func(id string, _ bool) bool { return !there[id] })
}

func (e *entries) requests() []*session.Request {
	stay := slices.DeleteFunc(slices.Clone(e.known), func(r *session.Request) bool { return e.leaving[r.ID] })
	return append(stay, e.added...)
}

func (e *entries) add(fresh []session.Entry, now time.Time) {
	for _, entry := range slices.Backward(fresh) {
		e.enter(&session.Request{ID: entry.ID, Label: entry.Label, FirstSeen: now})
	}
}

func (e *entries) enter(r *session.Request) {
	if e.leaving[r.ID] {
		e.known = slices.DeleteFunc(slices.Clone(e.known), func(other *session.Request) bool { return other.ID == r.ID })
		delete(e.leaving, r.ID)
	}
	e.added = append(e.added, r)
}

func (e *entries) remove(r *session.Request) {
	e.added = slices.DeleteFunc(e.added, func(other *session.Request) bool { return other.ID == r.ID })
	if e.leaving == nil {
		e.leaving = make(map[string]bool)
	}
	e.leaving[r.ID] = true
}

// restore enters a request that was removed. If its id is in the ledger, there is true and nothing changes.
func (e *entries) restore(r *session.Request) (there bool) {
	if slices.ContainsFunc(e.requests(), func(other *session.Request) bool { return other.ID == r.ID }) {
		return true
	}
	e.enter(r)
	return false
}

func (e *entries) room() int { return max(session.MostRequests-len(e.requests()), 0) }

func (e *entries) missing(entries []session.Entry) []session.Entry {
	return slices.DeleteFunc(slices.Clone(entries), e.has)
}

func (e *entries) has(entry session.Entry) bool {
	_, there := e.ledger.Find(entry.ID)
	return there
}

func (t *Tab) add(ids []string) effect.Effect {
	all := make([]session.Entry, len(ids))
	for i, id := range ids {
		all[i].ID = id
	}
	fresh := t.entries.missing(all)
	said := sayAdded(len(fresh), len(all))
	if room := t.entries.room(); t.view.Shared && len(fresh) > room {
		said = sayFull(room, len(fresh))
		fresh = fresh[:room]
		all = slices.Concat(fresh, slices.DeleteFunc(all, func(e session.Entry) bool { return !t.entries.has(e) }))
	}
	if len(all) == 0 {
		return said
	}
	for _, e := range all {
		if r, there := t.panes.ledger.Find(e.ID); !there || r.Answer == nil || r.Pending() {
			t.panes.ledger.Wait(e.ID)
		}
	}
	t.entries.add(fresh, t.view.Now())
	t.session.Add(all...)
	return effect.Batch(t.showSelected(all[0].ID, said), t.undoAdding(fresh))
}

// undoAdding removes requests that were added.
func (t *Tab) undoAdding(fresh []session.Entry) effect.Effect {
	if len(fresh) == 0 {
		return nil
	}
	return effect.Undo{What: "adding " + model.Count(len(fresh), "request", "requests"), Do: func() effect.Effect {
		var shown effect.Effect
		for _, e := range fresh {
			if r, there := t.panes.ledger.Find(e.ID); there {
				t.forget(r)
				shown = t.show()
			}
		}
		return shown
	}}
}

func (t *Tab) showSelected(id string, said effect.Effect) effect.Effect {
	shown := t.panes.ledger.Show(t.entries.requests())
	t.panes.ledger.Select(id)
	return t.refreshed(effect.Batch(shown, said))
}

func sayFull(entered, wanted int) effect.Effect {
	text := "Not added"
	if entered > 0 {
		text = fmt.Sprintf("Added %s of %s", tab.Number(int64(entered)), tab.Number(int64(wanted)))
	}
	return effect.Warn(text + ": the limit is " + tab.Number(session.MostRequests) + " requests. x removes one.")
}

func sayAdded(added, all int) effect.Effect {
	switch {
	case all == added && all < 2:
		return nil
	case added == all:
		return effect.Say("Looking up " + model.Count(all, "request", "requests") + ".")
	case all == 1:
		return effect.Say("The request is already in the ledger.")
	}
	return effect.Say(fmt.Sprintf("%s new, %s already in the ledger.", tab.Number(int64(added)),
		tab.Number(int64(all-added))))
}

func (t *Tab) again(r ledger.Row) effect.Effect {
	t.panes.ledger.Wait(r.ID)
	t.session.LookUp(r.ID)
	return t.show()
}

func (t *Tab) askLabel(r ledger.Row) effect.Effect {
	return tab.Prompt{
		Title: "Label of " + r.ID, Hint: "any text; leave blank to delete the label", Value: r.Label,
		Enter: func(typed string) (effect.Effect, string) {
			t.session.SetLabel(r.ID, typed)
			return effect.Undo{What: "the label of " + r.ID, Do: func() effect.Effect {
				t.session.SetLabel(r.ID, r.Label)
				return nil
			}}, ""
		},
	}.Ask()
}

func (t *Tab) forget(r ledger.Row) {
	t.entries.remove(r.Request)
	t.panes.ledger.Forget(r.ID)
	delete(t.certificates.downloads, r.ID)
	t.session.Remove(r.ID)
	t.panes.leaveDetails()
}

func (t *Tab) remove(r ledger.Row) effect.Effect {
	t.forget(r)
	undo := effect.Undo{What: "removing " + r.Name(), Do: func() effect.Effect { return t.restore(r.Request) }}
	return effect.Batch(t.show(), effect.Say("Removed "+r.Name()+" from the ledger. Z restores it."), undo)
}

// drop removes the requests that do not exist.
func (t *Tab) drop() effect.Effect {
	gone := t.panes.ledger.NotFound()
	for _, r := range gone {
		t.forget(r)
	}
	what := model.Count(len(gone), "request that does", "requests that do") + " not exist"
	undo := effect.Undo{What: "removing " + what, Do: func() effect.Effect {
		var shown effect.Effect
		for _, r := range gone {
			shown = t.restore(r.Request)
		}
		return shown
	}}
	return effect.Batch(t.show(), effect.Say("Removed "+what+". Z restores them."), undo)
}

func (t *Tab) restore(removed *session.Request) effect.Effect {
	r := ledger.Row{Request: removed}
	if t.entries.restore(removed) {
		return effect.Say(r.Name() + " is already in the ledger.")
	}
	t.session.Restore(r.Request)
	return t.showSelected(r.ID, effect.Say(r.Name()+" restored to the ledger."))
}

type storage struct {
	// problem is why nothing can be stored, as a sentence; warned is whether the user was warned.
	problem string
	warned  bool
}

func (m *storage) receive(e session.StoreEvent, shown bool) (said effect.Effect) {
	if e.Problem != nil {
		m.problem = tab.Sentence(e.Problem)
		if shown {
			said = m.warn()
		}
	}
	for _, f := range e.Failed {
		if f.Subject == session.LedgerWrites {
			said = effect.Batch(said, effect.Warn("Could not save the ledger: "+f.Err.Error()+"."))
		}
	}
	return said
}

func (m *storage) warn() effect.Effect {
	if m.problem == "" || m.warned {
		return nil
	}
	m.warned = true
	return effect.Warn("The ledger is lost when you quit. The reason is below it.")
}

func unread(err error) effect.Effect {
	if err == nil {
		return nil
	}
	return effect.Warn("Could not read the ledger: " + err.Error() + ".")
}
