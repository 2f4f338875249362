package retirement

import (
	"time"

	"tonne/model"
	"tonne/ui/paint"
	"tonne/ui/table"
	"tonne/ui/view"
)

// entry is one request of the ledger.
type entry struct {
	id, label string
	fetching  bool
	// answer is the last good one, at when it came; err why the last look-up
	// failed.
	answer *model.Retirement
	at     time.Time
	err    error
	nextAt time.Time
	first  time.Time
}

// pending reports whether the request is worth another look later.
func (e *entry) pending() bool { return e.answer != nil && !e.answer.Status.Final() }

// ledger is the requests in the order in which they were added, newest first.
type ledger []*entry

func (l ledger) Len() int         { return len(l) }
func (l ledger) Key(i int) string { return l[i].id }
func (l ledger) At(i int) *entry  { return l[i] }

func (l ledger) find(id string) *entry {
	for _, e := range l {
		if e.id == id {
			return e
		}
	}
	return nil
}

// spec lists the columns of the ledger.
func spec(v *view.View) table.Spec[*entry] {
	return table.Spec[*entry]{
		Search: func(dst []byte, e *entry) []byte {
			dst = append(append(dst, e.id...), '\n')
			dst = append(append(dst, e.label...), '\n')
			if e.answer != nil {
				dst = append(append(dst, e.answer.Status...), '\n')
				dst = append(dst, v.Projects.Name(e.answer.ProjectID)...)
			}
			return dst
		},
		Columns: []table.Column[*entry]{
			{Key: "mark", Title: "", Max: 1, Cell: markCell},
			{Key: "id", Title: "REQUEST", Help: "The id of the retirement request.", Min: 18, Max: 24,
				Cell: func(c *paint.Cell, e *entry) { c.Put(paint.Text, e.id) }, Text: func(e *entry) string { return e.id }},
			{Key: "state", Title: "STATE", Help: "The state at the last look-up.", Ideal: 12, Max: 18, Priority: 2,
				Cell: stateCell, Text: stateText},
			{Key: "label", Title: "LABEL", Help: "Your name for it.", Min: 12, Ideal: 16, Max: 40, Priority: 1,
				Cell: func(c *paint.Cell, e *entry) { c.Put(paint.Muted, e.label) }, Text: func(e *entry) string { return e.label }},
			{Key: "quantity", Title: "QUANTITY", Help: "The whole request.", Align: paint.Right, Priority: 3, Cell: func(c *paint.Cell, e *entry) {
				if e.answer != nil {
					c.PutBytes(paint.Text, v.AppendQuantity(c.Scratch(), e.answer.TotalQuantity))
				}
			}, Number: func(e *entry) (int64, bool) {
				if e.answer == nil {
					return 0, false
				}
				return int64(e.answer.TotalQuantity), e.answer.TotalQuantity.Known()
			}},
		},
	}
}

func markCell(c *paint.Cell, e *entry) {
	switch {
	case e.answer != nil:
		c.Put(mark(e.answer.Status))
	case e.err != nil:
		c.Put(paint.Dearer, "✗")
	case e.fetching:
		c.Put(paint.Muted, "…")
	default:
		c.Put(paint.Faint, "·")
	}
}

func stateText(e *entry) string {
	switch {
	case e.answer != nil:
		return stateName(e.answer.Status)
	case e.err != nil:
		return brief(e.err)
	case e.fetching:
		return "looking up"
	}
	return "not yet"
}

func stateCell(c *paint.Cell, e *entry) {
	role := paint.Text
	switch {
	case e.err != nil:
		role = paint.Dearer
	case e.answer == nil:
		role = paint.Faint
	}
	c.Put(role, stateText(e))
}

// brief is an error in a few words.
func brief(err error) string {
	if s, ok := err.(interface{ Short() string }); ok {
		return s.Short()
	}
	return err.Error()
}
