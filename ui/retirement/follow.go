package retirement

import (
	"fmt"

	"tonne/api"
	"tonne/api/feed"
	"tonne/model/store"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// batch is what is being looked up at the person's wish.
type batch struct {
	waiting map[string]bool
	total   int
	// failed counts the look-ups that failed, by what became of them.
	failed map[string]int
}

func (b *batch) add(id string) {
	if b.waiting == nil {
		b.waiting = make(map[string]bool)
	}
	if !b.waiting[id] {
		b.waiting[id] = true
		b.total++
	}
}

// done counts an outcome and returns what is to be said of all, once the last
// of several is there.
func (b *batch) done(id string, err error) string {
	if !b.waiting[id] {
		return ""
	}
	delete(b.waiting, id)
	if err != nil {
		if b.failed == nil {
			b.failed = make(map[string]int)
		}
		b.failed[failure(err)]++
	}
	if len(b.waiting) > 0 {
		return ""
	}
	text := "Looked up " + tab.Count(b.total, "request", "requests")
	for _, what := range failures {
		if n := b.failed[what]; n > 0 {
			text += ", " + tab.Number(int64(n)) + " " + what
		}
	}
	several := b.total > 1
	*b = batch{}
	if !several {
		return ""
	}
	return text + "."
}

// What becomes of a look-up that fails. Only a request that was not found or
// not accepted was answered for: of the others nothing is known.
const (
	notFound    = "not found"
	notAccepted = "not accepted"
	notReached  = "not reached"
	refused     = "refused"
	failed      = "failed"
)

var failures = [...]string{notFound, notAccepted, notReached, refused, failed}

// failure says in two words what became of a look-up that failed.
func failure(err error) string {
	switch api.KindOf(err) {
	case api.NotFound:
		return notFound
	case api.Invalid:
		return notAccepted
	case api.Unauthorized, api.Forbidden:
		return refused
	case api.Unreachable, api.TimedOut, api.NotTheAPI:
		return notReached
	}
	return failed
}

// add puts ids into the ledger, the first on top, and looks up those that may
// have changed.
func (t *Tab) add(ids []string) effect.Effect { return t.addSome(ids, 0) }

// addSome is add for ids that were found in a text of which lines were left
// out: it says so.
func (t *Tab) addSome(ids []string, without int) effect.Effect {
	if len(ids) == 0 {
		return nil
	}
	now := t.view.Now()
	var added []*entry
	for i := len(ids) - 1; i >= 0; i-- {
		e := t.ledger.find(ids[i])
		if e == nil {
			e = &entry{id: ids[i], first: now}
			t.ledger.put(e)
			added = append(added, e)
		}
		if e.answer == nil || e.pending() {
			t.lookUp(e.id)
		}
	}
	kept := t.remember(added...)
	work := t.settle()
	t.table.Select(ids[0])
	t.refresh()
	return effect.Batch(kept, work, sayAdded(len(added), len(ids), without))
}

func sayAdded(added, all, without int) effect.Effect {
	text := fmt.Sprintf("%s new, %s in the ledger already", tab.Number(int64(added)), tab.Number(int64(all-added)))
	switch {
	case all == 1 && added == 1 && without == 0:
		return nil
	case added == all:
		text = "Looking up " + tab.Count(all, "request", "requests")
	case all == 1:
		text = "It is in the ledger already"
	}
	if without > 0 {
		text += "; " + leftOut(without) + ": no id there"
	}
	return effect.Say(text + ".")
}

// lookUp asks the service for a request.
func (t *Tab) lookUp(id string) {
	t.ledger.change(id, func(e *entry) { e.fetching = true })
	t.batch.add(id)
	t.feed.LookUp(id)
}

// answered takes the outcome of a look-up, or that one is under way.
func (t *Tab) answered(news feed.RetirementEvent) effect.Effect {
	known := t.ledger.find(news.ID)
	if known == nil {
		return nil
	}
	t.ledger.change(news.ID, func(e *entry) {
		e.fetching, e.nextAt = news.Fetching, news.NextAt
		if !news.Fetching {
			e.err = news.Err
		}
		if news.Retirement != nil {
			e.answer, e.at = news.Retirement, news.At
		}
	})
	if news.Fetching {
		return t.later()
	}
	return effect.Batch(t.outcome(known, t.ledger.find(news.ID), news), t.later())
}

// outcome remembers what a look-up led to, says what changed and follows what
// may still change.
func (t *Tab) outcome(was, is *entry, news feed.RetirementEvent) effect.Effect {
	if api.KindOf(is.err) == api.RateLimited {
		// The feed asks again by itself.
		return nil
	}
	var cmds []effect.Effect
	if is.answer != was.answer || is.err != nil && is.err != was.err {
		cmds = append(cmds, t.record(is))
	}
	switch followed := !news.NextAt.IsZero(); {
	case followed && is.answer == nil && hopeless(is.err):
		t.feed.Unfollow(is.id)
	case !followed && !hopeless(is.err) && (is.pending() || is.answer == nil && is.err != nil):
		t.feed.Follow(is.id, is.first)
	}
	if was.answer != nil && is.answer != nil && was.answer.Status != is.answer.Status {
		t.changed = append(t.changed, is.id)
	}
	if text := t.batch.done(is.id, is.err); text != "" {
		cmds = append(cmds, effect.Say(text))
	}
	return effect.Batch(cmds...)
}

func (t *Tab) record(e *entry) effect.Effect {
	l := store.LookUp{ID: e.id, At: e.at, Answer: e.answer}
	if e.err != nil {
		l.At, l.Answer, l.Error = t.view.Now(), nil, e.err.Error()
	}
	return t.keeper.record(l)
}

// announce tells of the requests that reached another state, in one message
// however many there are.
func (t *Tab) announce() effect.Effect {
	changed := t.changed
	t.changed = nil
	if len(changed) == 0 {
		return nil
	}
	t.badge = !t.active
	e := t.ledger.find(changed[0])
	if e == nil || e.answer == nil {
		return nil
	}
	text := fmt.Sprintf("Retirement %s is %s.", e.name(), stateName(e.answer.Status))
	if more := len(changed) - 1; more > 0 {
		text += fmt.Sprintf(" %s changed too.", tab.Count(more, "other", "others"))
	}
	return effect.Notify{Text: text}
}

// later settles the ledger once, after all news that came together.
func (t *Tab) later() effect.Effect {
	if t.due {
		return nil
	}
	t.due = true
	return effect.Tell(settleDue{})
}

// settleDue says that all news that came together was taken.
type settleDue struct{}

func (t *Tab) settleNow() effect.Effect {
	t.due = false
	return effect.Batch(t.settle(), t.announce())
}

// settle shows the ledger as it is now.
func (t *Tab) settle() effect.Effect {
	for _, e := range t.ledger.entries {
		if e.answer == nil {
			continue
		}
		if name := t.view.Projects.Name(e.answer.ProjectID); name != e.project {
			t.ledger.change(e.id, func(e *entry) { e.project = name })
		}
	}
	t.table.SetSource(t.ledger.rows())
	t.needed = need{}
	t.refresh()
	return tab.Work(t.table)
}

// followed counts the requests that are looked up again by themselves, and
// returns when the next of them is.
func (t *Tab) followed() (n int, next int64) {
	for _, e := range t.ledger.entries {
		if e.nextAt.IsZero() {
			continue
		}
		n++
		if at := e.nextAt.UnixNano(); next == 0 || at < next {
			next = at
		}
	}
	return n, next
}
