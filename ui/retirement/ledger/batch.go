package ledger

import (
	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// batch tracks the look-ups that the user started.
type batch struct {
	waiting map[string]bool
	total   int
	// failed counts failed look-ups by kind of failure.
	failed map[string]int
}

// Wait records that the user waits for a look-up. The row shows it at the next Show.
func (b *batch) Wait(id string) {
	if b.waiting == nil {
		b.waiting, b.failed = make(map[string]bool), make(map[string]int)
	}
	if !b.waiting[id] {
		b.waiting[id] = true
		b.total++
	}
}

// Forget records that the user no longer waits for a request.
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

// LookedUp counts finished look-ups. After the last of several it returns a message with the totals.
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
	if text += "."; ended.failed[notFound]+ended.failed[notAccepted] > 0 {
		text += " :drop removes what does not exist."
	}
	return effect.Say(text)
}

// NotFound returns the requests that the service does not know or whose ids it refused.
func (l *Ledger) NotFound() (rows []Row) {
	for _, r := range l.rows {
		if why := failure(r.Err); r.Answer == nil && r.Err != nil && (why == notFound || why == notAccepted) {
			rows = append(rows, r)
		}
	}
	return rows
}

// The kinds of failed look-ups. Only notFound and notAccepted are answers about the request.
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
