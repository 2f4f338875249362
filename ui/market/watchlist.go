package market

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/store"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

type watchlistPane struct {
	tabular[watchKey, watchRow]
	view  *tab.View
	brief bool
}

// watchKey with an empty rule names the vintage.
type watchKey struct {
	model.VintageKey
	request, rule string
}

type watchRow struct {
	store.Alert
	ruled bool
	name  string
	// facts are what rules on the vintage are held against now, opened its best
	// ask at the start of the day, and fired when the rule fired last.
	facts  model.Facts
	opened model.PriceCents
	fired  time.Time
	isNew  bool
	called string
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

const allRequests = "all retirements"

func newWatchlistPane(v *tab.View) *watchlistPane {
	p := &watchlistPane{view: v}
	ofVintage := func(cell func(c *style.Cell, r watchRow)) func(c *style.Cell, r watchRow) {
		return func(c *style.Cell, r watchRow) {
			if !r.Rule.OnRequests() {
				cell(c, r)
			}
		}
	}
	p.table = table.New[watchKey](table.Spec[watchRow]{Columns: []table.Column[watchRow]{
		{Key: "project", Title: "PROJECT", Min: 12, Ideal: 28, Max: 44, Cell: func(c *style.Cell, r watchRow) { c.Put(style.Name, r.name) }},
		{Key: "vintage", Title: "VINTAGE", Align: style.Right, Cell: ofVintage(func(c *style.Cell, r watchRow) { c.Put(style.Text, v.VintageName(r.Vintage)) })},
		{Key: "watched", Title: "WATCHED", Hidden: true, Middle: true, Min: 18, Cell: func(c *style.Cell, r watchRow) { c.Put(style.Name, p.watchedName(r)) }},
		{Key: "ask", Title: "BEST ASK", Align: style.Right, Ideal: 9, Priority: 1, Cell: ofVintage(func(c *style.Cell, r watchRow) { askCell(c, r.facts.BestAsk) })},
		{Key: "briefask", Title: "ASK", Hidden: true, Align: style.Right, Cell: ofVintage(func(c *style.Cell, r watchRow) { askCell(c, r.facts.BestAsk) })},
		{Key: "delta", Title: "Δ DAY", Hidden: true, Align: style.Right, Priority: 2, Cell: ofVintage(func(c *style.Cell, r watchRow) {
			moveCell(c, r.opened, r.facts.BestAsk)
		})},
		{Key: "available", Title: "AVAILABLE", Align: style.Right, Ideal: 10, Priority: 2, Cell: ofVintage(func(c *style.Cell, r watchRow) {
			c.Put(style.Muted, v.Quantity(r.facts.Available))
		})},
		{Key: "rule", Title: "TELL ME WHEN", Min: 16, Cell: ruleCell},
		{Key: "state", Title: "NOW", Cell: p.stateCell},
		{Key: "brief", Title: "RULE", Hidden: true, Min: 18, Priority: 1, Cell: p.briefCell},
	}})
	p.heading = heading{"rules", "Watch list", [][2]string{{"↵", "walks and shows the vintage"}, {"x", "removes"}}}
	p.vintage = func(r watchRow) model.VintageKey { return r.Vintage }
	p.id = func(r watchRow) (id, what string) { return r.Request, "the request's id" }
	return p
}

func (p *watchlistPane) shorten(brief bool) {
	p.brief = brief
	for _, key := range []string{"watched", "briefask", "delta", "brief"} {
		p.table.Show(key, brief)
	}
	for _, key := range []string{"project", "vintage", "ask", "available", "rule", "state"} {
		p.table.Show(key, !brief)
	}
}

// shortRule leaves out of a rule what its value tells, and where a move starts.
func shortRule(rule string) string {
	for _, measure := range []string{"best ask ", "available ", "becomes "} {
		rule = strings.TrimPrefix(rule, measure)
	}
	rule, _, _ = strings.Cut(rule, " from ")
	return rule
}

func (p *watchlistPane) watchedName(r watchRow) string {
	if r.Rule.OnRequests() {
		return cmp.Or(r.called, r.name)
	}
	return r.name + " " + p.view.VintageName(r.Vintage)
}

func (p *watchlistPane) briefCell(c *style.Cell, r watchRow) {
	rule := r.ruleText()
	if !r.ruled {
		c.Put(style.Faint, rule)
		return
	}
	role := style.Accent
	if r.isNew {
		role = style.Warning
		c.Put(role, newMark+" ")
	}
	c.Put(style.Muted, shortRule(rule))
	holds, _ := r.Rule.Holds(r.facts)
	switch {
	case holds && r.fired.IsZero():
		c.Put(role, " ✓")
	case holds:
		c.Put(role, " ✓ "+p.view.Ago(r.fired))
	case !r.fired.IsZero():
		c.Put(role, " fired "+p.view.Ago(r.fired))
	}
}

func (r watchRow) ruleText() string {
	if r.ruled {
		return r.Rule.Words()
	}
	return "no rule yet"
}

func ruleCell(c *style.Cell, r watchRow) {
	role := style.Text
	if !r.ruled {
		role = style.Faint
	}
	c.Put(role, r.ruleText())
}

// stateCell knows of rules on requests only when they fired.
func (p *watchlistPane) stateCell(c *style.Cell, r watchRow) {
	holds, known := r.Rule.Holds(r.facts)
	switch {
	case !r.ruled:
	case r.Rule.OnRequests() && r.fired.IsZero():
		c.Put(style.Muted, "not yet")
	case r.Rule.OnRequests():
		c.Put(style.Accent, "fired "+p.view.Ago(r.fired))
	case !known && r.Rule.Waits():
		c.Put(style.Faint, "waits for an ask")
	case !known:
		c.Put(style.Faint, "never bought")
	case holds:
		c.Put(style.Accent, "✓ holds")
	default:
		c.Put(style.Muted, "not yet")
	}
}

// list sorts by names and years; rules on requests come last.
func (p *watchlistPane) list(list session.Watchlist, now *rows, past *alerts, called map[string]string) {
	var rows, onRequests listed[watchKey, watchRow]
	ruled := make(map[model.VintageKey]bool)
	for _, a := range list.Alerts {
		r := watchRow{Alert: a, ruled: true}
		if f, ok := past.last(a); ok {
			r.fired, r.isNew = f.At, past.isNew(f)
		}
		if !a.Rule.OnRequests() {
			ruled[a.Vintage], rows = true, append(rows, r)
			continue
		}
		r.name, r.called = cmp.Or(a.Request, allRequests), called[a.Request]
		if r.called != "" {
			r.name = r.called + " · " + a.Request
		}
		onRequests = append(onRequests, r)
	}
	for key := range list.Watched {
		if !ruled[key] {
			rows = append(rows, watchRow{Alert: store.Alert{Vintage: key}})
		}
	}
	for i, r := range rows {
		rows[i].name, rows[i].facts, rows[i].opened = p.view.Projects.Name(r.Vintage.ProjectID), now.market.Facts(r.Vintage, now.paid), now.openedOf(r.Vintage)
	}
	slices.SortFunc(rows, func(a, b watchRow) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(p.view.Year(a.Vintage), p.view.Year(b.Vintage)),
			cmp.Compare(a.Vintage.VintageID, b.Vintage.VintageID), cmp.Compare(a.Rule.String(), b.Rule.String()))
	})
	p.table.SetSource(append(rows, onRequests...))
}

func (p *watchlistPane) draw(block *style.Block, s subject) {
	if p.table.Len() == 0 {
		block.Put(style.Text, " Nothing is watched yet.")
		for _, line := range style.Wrap("f watches the selected vintage, a tells you when its price or quantity crosses a limit.", block.Width()-1) {
			block.Put(style.Muted, " "+line)
		}
		return
	}
	lines := block.Room()
	if p.brief && p.table.Len() >= lines {
		// No border of its own says there how the list goes on.
		lines--
	}
	p.table.Render(block, lines, table.Frame[watchKey]{Focused: s.focused, Stale: s.stale})
	if block.Room() > 0 {
		block.Put(style.Faint, p.besides())
	}
}

func (p *watchlistPane) besides() string {
	if below := tab.Below(p.below()); below != "" {
		return " " + below
	}
	if first, _, _ := p.table.Visible(); first > 1 {
		return " " + tab.Number(int64(first-1)) + " more above"
	}
	return ""
}
