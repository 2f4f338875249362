package ledger

import (
	"tonne/model"
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
