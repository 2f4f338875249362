package ledger

import (
	"tonne/api"
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// batch is what is being looked up at the person's wish. The zero value is an
// empty one.
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

func (b *batch) leave(id string) {
	if !b.waiting[id] {
		return
	}
	delete(b.waiting, id)
	b.total--
	if len(b.waiting) == 0 {
		*b = batch{}
	}
}

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
	text := "Looked up " + model.Count(b.total, "request", "requests")
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

func mark(s model.RetirementStatus) (style.Role, string) {
	switch s {
	case model.Complete:
		return style.Accent, "✓"
	case model.Open:
		return style.Cheaper, "◔"
	case model.Closed:
		return style.Paid, "◑"
	case model.InProgress:
		return style.Cheaper, "◕"
	case model.NothingToProcess:
		return style.Faint, "○"
	}
	return style.Warning, "?"
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
