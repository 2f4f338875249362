package ledger

import (
	"slices"
	"strings"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

const byState model.LedgerField = "state"

// Found is what the search found of a request.
type Found struct {
	model.LedgerMatch
	text string
}

// Name is what of the request was found, in words.
func (f *Found) Name() string {
	if f.Serial != nil {
		return "serial"
	}
	return strings.ReplaceAll(string(f.Field), "_", " ")
}

// Value is the value that was found, as it is written there; tax ids are masked.
func (f *Found) Value() string {
	if f.Field == model.ByTaxID {
		return model.MaskTaxID(f.LedgerMatch.Value)
	}
	return f.LedgerMatch.Value
}

// Narrow shows what matches the search.
func (l *Ledger) Narrow() effect.Effect {
	text := strings.TrimSpace(l.Search.Value())
	if searched := text != ""; searched != l.searched {
		l.searched = searched
		l.Table.Show(foundColumn, searched)
		l.natural = 0
	}
	if text == "" {
		l.Table.SetSource(rows(l.rows))
	} else {
		l.Table.SetSource(rows(l.matching(text)))
	}
	return tab.Work(l.Table)
}

// matching returns the requests that a text finds: those that have it as a whole
// value first. Where it finds none, each of its words must be found; those that
// begin with ! must not.
func (l *Ledger) matching(text string) []Row {
	matched := l.find(text)
	words := strings.Fields(text)
	if len(matched) > 0 || len(words) < 2 && !strings.HasPrefix(text, "!") {
		return matched
	}
	matched = l.rows
	for _, word := range words {
		bare, without := strings.CutPrefix(word, "!")
		if bare == "" {
			continue
		}
		found := make(map[string]*Found)
		for _, r := range l.find(bare) {
			found[r.ID] = r.Found
		}
		matched = slices.DeleteFunc(slices.Clone(matched), func(r Row) bool { return (found[r.ID] != nil) == without })
		for i := range matched {
			if matched[i].Found == nil {
				matched[i].Found = found[matched[i].ID]
			}
		}
	}
	return matched
}

func (l *Ledger) find(text string) []Row {
	var matched []Row
	found := make(map[string]bool)
	add := func(r Row, f *Found) {
		if !found[r.ID] {
			found[r.ID], r.Found = true, f
			matched = append(matched, r)
		}
	}
	if l.index.search != nil {
		for _, m := range l.index.search.Find(text) {
			if r, there := l.Find(l.index.records[m.Record].ID); there {
				add(r, &Found{m, text})
			}
		}
	}
	lower := strings.ToLower(text)
	states := make(map[string]bool)
	for _, r := range l.rows {
		state := r.State()
		holds, known := states[state]
		if !known {
			holds = strings.Contains(strings.ToLower(state), lower)
			states[state] = holds
		}
		if holds {
			add(r, &Found{model.LedgerMatch{Field: byState, Value: text}, text})
		}
	}
	for _, r := range l.fresh {
		if strings.Contains(strings.ToLower(r.ID), lower) {
			add(r, &Found{model.LedgerMatch{Field: model.ByRequest, Value: r.ID}, text})
		}
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

// Parts is the value that was found about the part of it that was looked for,
// which is all of a serial number that holds it.
func (f *Found) Parts() (before, part, after string) {
	value := f.Value()
	if f.Serial != nil {
		return "", value, ""
	}
	at := strings.Index(strings.ToLower(value), strings.ToLower(f.text))
	if at < 0 || at+len(f.text) > len(value) {
		return "", value, ""
	}
	return value[:at], value[at : at+len(f.text)], value[at+len(f.text):]
}

func foundText(r Row) string {
	if r.Found == nil {
		return ""
	}
	return r.Found.Name() + ": " + r.Found.Value()
}
