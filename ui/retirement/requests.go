package retirement

import (
	"fmt"
	"slices"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/retirement/importer"
	"tonne/ui/retirement/ledger"
	"tonne/ui/tab"
)

func (t *Tab) addFound(found importer.Found, e effect.Effect) effect.Effect {
	return effect.Batch(e, t.add(found))
}

func (t *Tab) add(found importer.Found) effect.Effect {
	t.left.take(found)
	if len(found.IDs) == 0 {
		return nil
	}
	entries := make([]session.Entry, len(found.IDs))
	for i, id := range found.IDs {
		entries[i].ID = id
	}
	fresh := t.missing(entries)
	said := sayAdded(len(fresh), len(entries), found)
	if room := t.room(); t.view.Shared && len(fresh) > room {
		said = sayFull(room, len(fresh))
		fresh = fresh[:room]
		entries = slices.Concat(fresh, t.known(entries))
	}
	if len(entries) == 0 {
		return said
	}
	for _, e := range entries {
		if r, there := t.ledger.Find(e.ID); !there || r.Answer == nil || r.Pending() {
			t.ledger.Wait(e.ID)
		}
	}
	t.edits.add(fresh, t.view.Now())
	t.session.Add(entries...)
	shown := t.ledger.Show(t.edits.requests())
	t.ledger.Select(entries[0].ID)
	return t.thenRefresh(effect.Batch(shown, said))
}

func (t *Tab) room() int { return max(session.MostRequests-len(t.edits.requests()), 0) }

func sayFull(entered, wanted int) effect.Effect {
	text := "Not entered"
	if entered > 0 {
		text = fmt.Sprintf("Entered %s of %s", tab.Number(int64(entered)), tab.Number(int64(wanted)))
	}
	return effect.Warn(text + ": the ledger takes " + tab.Number(session.MostRequests) + " requests. x removes one.")
}

func (t *Tab) missing(entries []session.Entry) []session.Entry {
	return slices.DeleteFunc(slices.Clone(entries), t.isKnown)
}

func (t *Tab) known(entries []session.Entry) []session.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e session.Entry) bool { return !t.isKnown(e) })
}

func (t *Tab) isKnown(e session.Entry) bool {
	_, there := t.ledger.Find(e.ID)
	return there
}

func sayAdded(added, all int, found importer.Found) effect.Effect {
	left := found.Left
	if found.Told {
		left = nil
	}
	text := fmt.Sprintf("%s new, %s in the ledger already", tab.Number(int64(added)), tab.Number(int64(all-added)))
	switch {
	case all == 1 && added == 1 && len(left) == 0:
		return nil
	case added == all:
		text = "Looking up " + model.Count(all, "request", "requests")
	case all == 1:
		text = "It is in the ledger already"
	}
	if len(left) > 0 {
		return effect.Say(text + "; " + importer.LeftOut(left))
	}
	return effect.Say(text + ".")
}

func (t *Tab) again() effect.Effect {
	r, _ := t.ledger.Selected()
	t.ledger.Wait(r.ID)
	t.session.LookUp(r.ID)
	return t.show()
}

func (t *Tab) askLabel() effect.Effect {
	r, _ := t.ledger.Selected()
	return effect.Prompt{
		Title: "Label of " + r.ID, Hint: "your own words; empty for none", Value: r.Label,
		Parse: func(typed string) (any, string) { return labelTyped{r.ID, typed}, "" },
	}
}

type labelTyped struct{ id, label string }

func (t *Tab) remove() effect.Effect {
	r, _ := t.ledger.Selected()
	t.edits.remove(r.Request)
	t.ledger.Forget(r.ID)
	t.certificates.forget(r.ID)
	t.session.Remove(r.ID)
	t.leaveDetails()
	return effect.Batch(t.show(), effect.Say("Removed "+r.Name()+" from the ledger. Z brings it back."))
}

func (t *Tab) undo() effect.Effect {
	removed, there := t.edits.restore()
	r := ledger.Row{Request: removed}
	if there {
		return effect.Say(r.Name() + " is in the ledger.")
	}
	t.session.Restore(r.Request)
	shown := t.ledger.Show(t.edits.requests())
	t.ledger.Select(r.ID)
	return t.thenRefresh(effect.Batch(shown, effect.Say(r.Name()+" is back in the ledger.")))
}

func (t *Tab) announce(changed []session.Change) effect.Effect {
	if len(changed) == 0 {
		return nil
	}
	t.badge = !t.active
	r, there := t.ledger.Find(changed[0].ID)
	if !there {
		return nil
	}
	text := fmt.Sprintf("Retirement %s is %s.", r.Name(), changed[0].Is.Words())
	if more := len(changed) - 1; more > 0 {
		text += fmt.Sprintf(" %s changed too.", model.Count(more, "other", "others"))
	}
	return effect.Notify{Text: text}
}
