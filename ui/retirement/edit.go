package retirement

import (
	"context"
	"strings"
	"unicode"

	"tonne/ui/effect"
)

// longestLabel is the longest label, in characters.
const longestLabel = 80

// askLabel asks what the person calls the selected request.
func (t *Tab) askLabel() effect.Effect {
	e, _ := t.selected()
	id := e.id
	return effect.Prompt{
		Title: "Label of " + id, Hint: "your own words; empty for none", Value: e.label,
		Parse: func(typed string) (any, string) { return labelTyped{id, plainLabel(typed)}, "" },
	}
}

// labelTyped is what the person calls a request.
type labelTyped struct{ id, label string }

func (t *Tab) setLabel(l labelTyped) effect.Effect {
	t.ledger.change(l.id, func(e *entry) { e.label = l.label })
	return effect.Batch(t.rememberLabel(l.id, l.label), t.settle())
}

// plainLabel leaves out of a label what is not shown: it stands in messages
// to the terminal.
func plainLabel(typed string) string {
	shown := strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(strings.TrimSpace(typed), ""))
	letters := []rune(shown)
	return string(letters[:min(len(letters), longestLabel)])
}

func (t *Tab) rememberLabel(id, label string) effect.Effect {
	at := t.view.Now()
	return t.keeper.do(func(ctx context.Context) error { return t.o.Store.SetLabel(ctx, t.o.Origin, id, label, at) })
}

// remove takes the selected request out of the ledger. It can be brought back
// while the dashboard runs.
func (t *Tab) remove() effect.Effect {
	e, _ := t.selected()
	t.feed.Unfollow(e.id)
	t.ledger.remove(func(other *entry) bool { return other.id == e.id })
	t.removed = append(t.removed, e)
	t.focused = false
	forget := t.keeper.do(func(ctx context.Context) error { return t.o.Store.Remove(ctx, t.o.Origin, e.id) })
	return effect.Batch(forget, t.settle(), effect.Say("Removed "+e.name()+" from the ledger. z brings it back."))
}

// undo brings back what was removed last.
func (t *Tab) undo() effect.Effect {
	last := len(t.removed) - 1
	e := *t.removed[last]
	t.removed = t.removed[:last]
	if t.ledger.find(e.id) != nil {
		return effect.Say(e.name() + " is in the ledger.")
	}
	e.fetching = false
	t.ledger.put(&e)
	t.resume(&e)
	kept := t.rememberAll(&e)
	work := t.settle()
	t.table.Select(e.id)
	t.refresh()
	return effect.Batch(kept, work, effect.Say(e.name()+" is back in the ledger."))
}

func (t *Tab) whyNothingRemoved() string {
	if len(t.removed) == 0 {
		return "Nothing was removed."
	}
	return ""
}
