package ledger

import (
	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// batch is what is being looked up because the person asked for it.
type batch struct {
	waiting map[string]bool
	total   int
	// failed counts the look-ups that failed, by what became of them.
	failed map[string]int
}

// Wait says that the person waits for a look-up. It shows at the next Show.
func (b *batch) Wait(id string) {
	if b.waiting == nil {
		b.waiting, b.failed = make(map[string]bool), make(map[string]int)
	}
	if !b.waiting[id] {
		b.waiting[id] = true
		b.total++
	}
}

// Forget says that nobody waits for a request any more.
func (b *batch) Forget(id string) {
	if !b.waiting[id] {
		return
	}
	delete(b.waiting, id)
	b.total--
	if len(b.waiting) == 0 {
		*b = batch{}
	}
}

// LookedUp counts look-ups, and says their results once the last of several is there.
func (b *batch) LookedUp(outcomes []session.Outcome) effect.Effect {
	if len(b.waiting) == 0 {
		return nil
	}
	for _, o := range outcomes {
		if b.waiting[o.ID] && o.Err != nil {
			b.failed[failure(o.Err)]++
		}
		delete(b.waiting, o.ID)
	}
	if len(b.waiting) > 0 {
		return nil
	}
	ended := *b
	*b = batch{}
	if ended.total < 2 {
		return nil
	}
	text := "Looked up " + model.Count(ended.total, "request", "requests")
	for _, what := range failures {
		if n := ended.failed[what]; n > 0 {
			text += ", " + tab.Number(int64(n)) + " " + what
		}
	}
	return effect.Say(text + ".")
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
