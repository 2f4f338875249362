package market

import (
	"cmp"
	"slices"
	"time"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/field"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

type watchlistPane struct {
	tabular[watchKey, watchRow]
	view *tab.View
}

// watchKey with an empty rule names the vintage.
type watchKey struct {
	model.VintageKey
	request, rule string
}

type watchRow struct {
	alert.Rule
	ruled bool
	name  string
	// facts are the values that the rule is compared with, fired is when it last fired.
	facts alert.Facts
	fired time.Time
	isNew bool
}

func (r watchRow) key() watchKey {
	key := watchKey{VintageKey: r.Vintage}
	if r.ruled {
		key.rule = r.Rule.String()
	}
	if r.Rule.OnRequests() {
		key.request = cmp.Or(r.Request, allRequests)
	}
	return key
}

// ofVintage returns a value, or nothing for a rule on requests.
func (r watchRow) ofVintage(v field.Value) field.Value {
	if r.Rule.OnRequests() {
		return field.Words("")
	}
	return v
}

const allRequests = "all retirements"

func newWatchlistPane(v *tab.View) *watchlistPane {
	p := &watchlistPane{view: v}
	p.table = table.New[watchKey](table.Spec[watchRow]{Units: v.Units, Columns: []table.Column[watchRow]{
		{Key: "watched", Title: "WATCHED", Min: 18, Ideal: 28, Max: 44, Middle: true, Style: style.Name, Fixed: true,
			Value: func(r watchRow) field.Value { return field.Words(r.name) }},
		{
			Key: "ask", Title: "BEST ASK", Align: style.Right, Ideal: 9, Priority: 1, Fixed: true,
			Value: func(r watchRow) field.Value { return r.ofVintage(field.Price(r.facts.BestAsk).As(field.BestAsk)) },
		},
		{
			Key: "available", Title: "AVAILABLE", Align: style.Right, Ideal: 10, Priority: 2, Style: style.Muted, Fixed: true,
			Value: func(r watchRow) field.Value { return r.ofVintage(field.Grams(r.facts.Available)) },
		},
		{Key: "rule", Title: "RULE", Min: 16, Cell: func(c *style.Cell, r watchRow) {
			if r.ruled {
				c.Put(style.Text, r.WithPrice(r.facts.LastPaid))
			} else {
				c.Put(style.Faint, "no rule yet")
			}
		}},
		{Key: "state", Title: "NOW", Cell: p.stateCell},
	}})
	p.heading = heading{"rules", "Watch list", [][2]string{{"↵", "goes to the vintage"}, {"x", "removes"}}}
	p.none = [2]string{
		"You watch nothing yet.",
		"f watches the selected vintage. a adds a rule that fires when its price or quantity crosses a limit.",
	}
	p.vintage = func(r watchRow) model.VintageKey { return r.Vintage }
	p.id = func(r watchRow) (id, what string) { return r.Request, "the request's id" }
	return p
}

// stateCell does not evaluate rules on requests: it only knows when they fired.
func (p *watchlistPane) stateCell(c *style.Cell, r watchRow) {
	if r.isNew {
		c.Put(style.Warning, newMark+" ")
	}
	holds, known := r.Rule.Holds(r.facts)
	switch {
	case !r.ruled:
	case holds && r.fired.IsZero():
		c.Put(style.Accent, "✓ met")
	case holds:
		c.Put(style.Accent, "✓ fired "+p.view.Ago(r.fired))
	case !r.fired.IsZero():
		c.Put(style.Accent, "fired "+p.view.Ago(r.fired))
	case known || r.Rule.OnRequests():
		c.Put(style.Muted, "not yet")
	case r.Rule.Waits():
		c.Put(style.Faint, "waits for an ask")
	default:
		c.Put(style.Faint, "never bought")
	}
}

func (p *watchlistPane) list(w *watching, now *rows, called map[string]string) {
	var rows, onRequests []watchRow
	ruled := make(map[model.VintageKey]bool)
	for _, a := range w.Rules {
		r := watchRow{Rule: a, ruled: true}
		if f, ok := w.last(a); ok {
			r.fired, r.isNew = f.At, w.isNew(f)
		}
		if !a.OnRequests() {
			ruled[a.Vintage], rows = true, append(rows, r)
			continue
		}
		r.name = cmp.Or(called[a.Request], a.Request, allRequests)
		onRequests = append(onRequests, r)
	}
	for key := range w.Watched {
		if !ruled[key] {
			rows = append(rows, watchRow{Rule: alert.Rule{Vintage: key}})
		}
	}
	for i, r := range rows {
		rows[i].name, rows[i].facts = p.view.Label(r.Vintage), alert.VintageFacts(now.market, r.Vintage, now.paid)
	}
	slices.SortFunc(rows, func(a, b watchRow) int {
		return cmp.Or(
			cmp.Compare(a.name, b.name),
			cmp.Compare(a.Vintage.VintageID, b.Vintage.VintageID),
			cmp.Compare(a.Rule.String(), b.Rule.String()),
		)
	})
	p.table.SetSource(table.List(append(rows, onRequests...), watchRow.key))
}
