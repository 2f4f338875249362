package ledger

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// group has the requests of a batch, shown as one row that opens.
type group struct {
	name    string
	open    bool
	members []Row
	// total has what the requests have in common: their quantity, and project and vintage if it is one.
	total retirement.Request
}

// groupKey differs from every id.
func groupKey(batch string) string { return "batch\x00" + batch }

// grouped replaces the requests of each batch by one row, followed by them if it is open.
func (l *Ledger) grouped(rows []Row) []Row {
	members := make(map[string][]Row)
	for _, r := range rows {
		if r.batch != "" {
			members[r.batch] = append(members[r.batch], r)
		}
	}
	if len(members) == 0 {
		return rows
	}
	shown := make([]Row, 0, len(rows))
	for _, r := range rows {
		of := members[r.batch]
		switch {
		case r.batch == "" || len(of) == 1:
			shown = append(shown, r)
		case of[0].ID == r.ID:
			shown = append(shown, l.groupRows(r.batch, of)...)
		}
	}
	return shown
}

func (l *Ledger) groupRows(batch string, members []Row) []Row {
	first := members[0]
	g := &group{name: batch, open: l.open[batch], members: members}
	g.total = *first.answer()
	g.total.SerialNumbers, g.total.Items, g.total.RetiredAt, g.total.TotalQuantity = nil, nil, model.Timestamp{}, 0
	head := Row{Request: &session.Request{ID: groupKey(batch), Label: batch, FirstSeen: first.FirstSeen},
		project: first.project, group: g}
	for _, m := range members {
		a := m.answer()
		g.total.TotalQuantity = g.total.TotalQuantity.Plus(a.TotalQuantity)
		if a.ProjectID != g.total.ProjectID {
			head.project, g.total.ProjectID = "", ""
		}
		if a.VintageID != g.total.VintageID {
			g.total.VintageID = ""
		}
		head.LookingUp = head.LookingUp || m.LookingUp
		if m.checks.failed != "" && head.checks.failed == "" {
			head.checks = m.checks
		}
	}
	rows := []Row{head}
	for _, m := range members {
		if m.head = &head; g.open {
			rows = append(rows, m)
		}
	}
	return rows
}

// arrow is ▾ if the group is open, or else ▸.
func (g *group) arrow() string {
	if g.open {
		return "▾ "
	}
	return "▸ "
}

func (g *group) count() string { return model.Count(len(g.members), "request", "requests") }

// state is the state of all requests, or the number of complete ones.
func (g *group) state() string {
	state, complete := g.members[0].State(), 0
	for _, m := range g.members {
		if m.State() != state {
			state = ""
		}
		if m.answer().Status == retirement.Complete {
			complete++
		}
	}
	if state != "" {
		return state
	}
	return fmt.Sprintf("%d/%d %s", complete, len(g.members), retirement.Complete.Words())
}

// mark is the mark of the request that needs attention most.
func (g *group) mark() (style.Role, string) {
	first := 0
	for n, m := range g.members {
		if m.attention() < g.members[first].attention() {
			first = n
		}
	}
	return g.members[first].mark()
}

// SelectedBatch returns the name of the selected batch and whether it is open.
func (l *Ledger) SelectedBatch() (name string, open, ok bool) {
	r, ok := l.Table.Current()
	if !ok || r.group == nil {
		return "", false, false
	}
	return r.group.name, r.group.open, true
}

// BatchLines describes the selected batch. It returns nil if none is selected.
func (l *Ledger) BatchLines() []string {
	r, ok := l.Table.Current()
	if !ok || r.group == nil {
		return nil
	}
	states := make(map[string]int)
	for _, m := range r.group.members {
		states[m.State()]++
	}
	var words []string
	for _, state := range slices.Sorted(maps.Keys(states)) {
		words = append(words, tab.Number(int64(states[state]))+" "+state)
	}
	quantity := "The total quantity is unknown."
	if total := r.group.total.TotalQuantity; total.Known() {
		quantity = l.view.Quantity(total) + " in total."
	}
	lines := []string{"Batch " + r.group.name, r.group.count() + " of one batch: " + strings.Join(words, ", ") + ".",
		quantity}
	if r.group.open {
		return append(lines, "↵ closes the batch.")
	}
	return append(lines, "↵ opens the batch.")
}

// ToggleBatch opens or closes the selected batch.
func (l *Ledger) ToggleBatch() effect.Effect {
	if name, open, ok := l.SelectedBatch(); ok {
		return l.openBatch(name, !open)
	}
	return nil
}

func (l *Ledger) openBatch(name string, open bool) effect.Effect {
	if l.open == nil {
		l.open = make(map[string]bool)
	}
	l.open[name] = open
	l.natural = 0
	return l.Narrow()
}

// CopyAll returns the titles and all requests that match the search, also those of closed
// batches, and their number.
func (l *Ledger) CopyAll() (text string, rows int) {
	l.Table.SetSource(table.List(l.matched, rowID))
	text, rows = l.Table.CopyAll()
	l.setSource()
	l.Table.Finish()
	return text, rows
}

// sorted returns the row whose values sort r: requests stay below their batch.
func (r Row) sorted() Row {
	if r.head != nil {
		return *r.head
	}
	return r
}
