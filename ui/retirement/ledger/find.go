package ledger

import (
	"bytes"
	"slices"
	"strings"

	"tonne/model/fold"
	"tonne/model/retirement"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// Found is the field of a request that matches the search.
type Found struct{ retirement.LedgerMatch }

// Name returns the name of the field.
func (f *Found) Name() string {
	if f.Serial != nil {
		return "serial"
	}
	return strings.ReplaceAll(string(f.Field), "_", " ")
}

// Value returns the matching value. Tax ids are masked.
func (f *Found) Value() string {
	if f.Field == retirement.ByTaxID {
		return retirement.MaskTaxID(f.LedgerMatch.Value)
	}
	return f.LedgerMatch.Value
}

// Narrow shows the requests that match the search. An invalid condition of it has no effect,
// and Invalid has the reason.
func (l *Ledger) Narrow() effect.Effect {
	conditions, text, err := retirement.ParseLedgerSearch(l.Search.Value())
	if l.Invalid = ""; err != nil {
		l.Invalid = err.Error()
	}
	if searched := text != ""; searched != l.searched {
		l.searched = searched
		l.Table.Show(foundColumn, searched)
		l.natural = 0
	}
	matched := l.rows
	if text != "" {
		matched = l.matching(text)
	}
	if !conditions.All() {
		matched = slices.DeleteFunc(slices.Clone(matched), func(r Row) bool {
			selected, _ := conditions.Selects(r.record(nil))
			return !selected
		})
	}
	l.matched, l.whole = matched, text == "" && conditions.All()
	l.setSource()
	return tab.Work(l.Table)
}

// setSource shows the requests that match: batches as one row each, and the results of a search
// as they are.
func (l *Ledger) setSource() {
	rows := l.matched
	if l.whole {
		rows = l.grouped(rows)
	}
	l.Table.SetSource(table.List(rows, rowID))
}

func (l *Ledger) matching(text string) (matched []Row) {
	for _, m := range l.index.search.Find(text) {
		r, there := l.Find(l.index.rows[m.Record].ID)
		if !there {
			continue
		}
		if m.Field != "" {
			r.Found = &Found{m}
		}
		matched = append(matched, r)
	}
	return matched
}

const foundColumn = "found"

func foundCell(c *style.Cell, r Row) {
	if r.Found == nil {
		return
	}
	if serial := r.Found.Serial; serial != nil {
		c.Put(style.Strong, tab.Number(serial.Start)+"–"+tab.Number(serial.End))
		return
	}
	c.Put(style.Muted, r.Found.Name()+" ")
	before, part, after := r.Found.Parts()
	c.Put(style.Text, before)
	c.Put(style.Strong, part)
	c.Put(style.Text, after)
}

// Parts splits the value around the part that matches the search.
func (f *Found) Parts() (before, part, after string) {
	value := f.Value()
	if f.Serial != nil {
		return "", value, ""
	}
	folded, origin := fold.Origins(value)
	searched := fold.Append(nil, f.Text)
	at := bytes.Index(folded, searched)
	if at < 0 {
		return "", value, ""
	}
	from, to := origin[at], origin[at+len(searched)]
	return value[:from], value[from:to], value[to:]
}

func foundText(r Row) string {
	if r.Found == nil {
		return ""
	}
	return r.Found.Name() + ": " + r.Found.Value()
}
