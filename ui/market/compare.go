package market

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/attribute"
	"tonne/model/field"
	"tonne/ui/chart"
	"tonne/ui/column"
	"tonne/ui/effect"
	"tonne/ui/output"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// comparePane shows the marked vintages next to each other: one row per column of column.Comparison, and their
// prices in one chart.
type comparePane struct {
	tabular[string, field.Compared]
	view  *tab.View
	chart *chartPane
	// marked are the vintages in the order of their columns.
	marked   []model.VintageKey
	compared []*column.Compared
	partial  bool
	warnings []string
	// unknown are the attributes without a value, which are not shown.
	unknown []string
	// at is the marked column. first and shown are the columns on the screen, cell is their width.
	at, first, shown, cell int
	// charted is whether there was room for rows and chart. Otherwise alone shows the chart instead of the rows.
	charted, alone bool
}

func newComparePane(v *tab.View, c *chartPane) *comparePane {
	p := &comparePane{view: v, chart: c}
	columns := []table.Column[field.Compared]{
		{Key: "differs", Picture: true, Cell: func(c *style.Cell, d field.Compared) {
			if d.Differs {
				c.Put(style.Warning, "≠")
			}
		}},
		{
			Key:   "row",
			Title: "VINTAGE",
			Ideal: labelWidth,
			Cell:  func(c *style.Cell, d field.Compared) { c.Put(style.Muted, strings.ToLower(d.Title)) },
		},
	}
	for n := range column.Most {
		value := func(d field.Compared) field.Value {
			if n < len(d.Cells) {
				return d.Cells[n]
			}
			return field.Words("")
		}
		columns = append(columns, table.Column[field.Compared]{
			Key: strconv.Itoa(n), Title: strconv.Itoa(n + 1), Align: style.Right, Ideal: leastCell, Fixed: true, Value: value,
			Cell: func(c *style.Cell, d field.Compared) { p.putCompared(c, value(d), d.Differs) },
		})
	}
	p.table = table.New[string](table.Spec[field.Compared]{Units: p.units, Columns: columns})
	p.called, p.cell = "comparison", math.MaxInt
	p.id = func(field.Compared) (id, what string) { return "", "" }
	return p
}

func (p *comparePane) putCompared(c *style.Cell, v field.Value, differs bool) {
	if v.Blank() {
		table.Put(c, v, style.Text, p.units())
		return
	}
	text := style.Clip(v.Format(p.units()), p.cell)
	role, sign := table.Look(v.Role())
	if v.Role() == field.Plain && !differs {
		role = style.Muted
	}
	c.Put(role, sign+text)
}

// units are those of tonne compare.
func (p *comparePane) units() field.Units {
	return field.Units{Grams: p.view.InGrams, Zone: p.view.Location}
}

func (p *comparePane) title(subject) string {
	return model.Count(len(p.compared), "vintage", "vintages")
}

func (p *comparePane) needs() int { return p.tabular.needs() + leastChart + 1 }

// number returns the number of the column of a vintage, from 1, or 0 if it is not marked.
func (p *comparePane) number(key model.VintageKey) int { return slices.Index(p.marked, key) + 1 }

// toggle marks or unmarks a vintage, and returns a message.
func (p *comparePane) toggle(key model.VintageKey) string {
	name := p.view.Label(key)
	if n := p.number(key); n > 0 {
		p.marked = slices.Delete(slices.Clone(p.marked), n-1, n)
		return name + " is no longer marked."
	}
	switch len(p.marked) {
	case column.Most:
		return "Four vintages are marked, which is the most. M on a marked one unmarks it."
	case 0:
		p.marked = append(p.marked, key.Clone())
		return name + " is marked. Mark up to three others, then press =."
	}
	p.marked = append(p.marked, key.Clone())
	return name + " is marked, number " + strconv.Itoa(len(p.marked)) + ". = compares."
}

func (p *comparePane) enough() bool { return len(p.marked) >= column.Fewest }

// update compares the vintages with new data.
func (p *comparePane) update(now *rows, h *history) {
	v := p.view
	sources := column.Sources{
		Market: now.market, Projects: now.projects.Known, Paid: now.paid, Facts: now.facts, Partial: now.partial,
		At: v.Market.At,
	}
	if !v.Book.Earlier {
		sources.Balances = v.Book.Balances
	}
	p.compared, p.warnings, p.partial = nil, nil, now.partial
	for _, key := range p.marked {
		prices, _ := h.of(key)
		c := sources.Compare(key, prices)
		p.compared = append(p.compared, c)
		if tonnes := c.Unpriced(); tonnes > 0 {
			p.warnings = append(
				p.warnings,
				"✗ The cost of "+model.FormatNumber(tonnes)+" t of "+v.Label(key)+" is out of range.",
			)
		}
		if c.Unread > 0 {
			p.warnings = append(p.warnings, "⚠ "+v.Label(key)+": "+model.Count(c.Unread, "order", "orders")+" not readable.")
		}
	}
	if now.partial {
		p.warnings = append(p.warnings, "⚠ Only part of the market is loaded.")
	}
	p.unknown = nil
	rows := column.Comparison.Compare(p.compared, v.Location)
	rows = slices.DeleteFunc(rows, func(d field.Compared) bool {
		hidden := d.Unknown && slices.Contains(attribute.Attributes(), attribute.Attribute(d.Name))
		if hidden {
			p.unknown = append(p.unknown, d.Name)
		}
		return hidden
	})
	ids := field.Compared{Title: "ID"}
	for _, key := range p.marked {
		ids.Cells = append(ids.Cells, field.Text(key.VintageID))
	}
	rows = slices.Insert(rows, 0, ids)
	p.at = max(min(p.at, len(p.marked)-1), 0)
	p.table.Remeasure()
	p.table.SetSource(table.List(rows, func(d field.Compared) string { return d.Title }))
}

// target returns the vintage of the marked column.
func (p *comparePane) target() (model.VintageKey, bool) {
	if p.at >= len(p.marked) {
		return model.VintageKey{}, false
	}
	return p.marked[p.at], true
}

// cursorList marks only columns of vintages.
func (p *comparePane) cursorList() list { return comparedRows{p.table, p} }

type comparedRows struct {
	*table.Table[string, field.Compared]
	pane *comparePane
}

// Sideways marks the vintage step columns to the right. The first follows the last.
func (r comparedRows) Sideways(step int) {
	n := len(r.pane.marked)
	r.pane.at = ((r.pane.at+step)%n + n) % n
	r.SelectColumn(strconv.Itoa(r.pane.at))
}

func (p *comparePane) note(line *style.Line, s subject) {
	p.hints = [][2]string{{"≠", "differs"}, {"M", "unmarks"}, {"↵", "goes to it"}, {"c", "chart"}, {"e", "exports"}}
	if p.shown < len(p.marked) {
		p.hints = append([][2]string{{"← →", "others"}}, p.hints...)
	}
	p.heading.note(line, s)
}

const (
	// labelWidth is the width of the titles of rows, titlesWidth with the marks and gaps before the first vintage.
	labelWidth, titlesWidth = 16, 21
	leastCell, widestCell   = 12, 24
	usualCell, cellGap      = 20, 2
	// leastBeside is the least width, for four years above it, and tallBeside the height of the chart next to the rows.
	leastBeside, tallBeside = 46, 18
	chartGap                = 3
)

func (p *comparePane) draw(block *style.Block, s subject) {
	warnings := p.warnings
	if old := oldPrices(p.view); old != "" {
		warnings = append([]string{old}, warnings...)
	}
	for _, warning := range warnings {
		putLines(block, wrapped(block.Width(), warning), "")
	}
	lines, usual := p.table.Len()+1, titlesWidth+len(p.marked)*(usualCell+cellGap)
	beside := block.Width()-usual-chartGap >= leastBeside && block.Room() >= leastChart
	below := !beside && block.Room()-lines-1 >= leastChart
	p.charted = beside || below
	p.alone = p.alone && !p.charted
	switch {
	case p.alone:
		p.drawChart(block, s.history)
	case beside:
		block.Split(usual, chartGap, 1, func(left *style.Block) { p.drawRows(left, s) }, func(right *style.Block) {
			chart := style.NewBlock(block.Theme(), right.Width(), min(right.Room(), max(lines+1, tallBeside)))
			p.drawChart(chart, s.history)
			right.Append(chart.String())
		})
	case below:
		rows := style.NewBlock(block.Theme(), block.Width(), lines+1)
		p.drawRows(rows, s)
		block.Append(rows.String())
		p.drawChart(block, s.history)
	default:
		p.drawRows(block, s)
	}
}

// drawRows draws the columns around the marked one that fit, all of the same width.
func (p *comparePane) drawRows(block *style.Block, s subject) {
	room, n := block.Width()-titlesWidth, len(p.marked)
	p.shown = max(min(room/(leastCell+cellGap), n), 1)
	p.first = max(min(p.first, p.at, n-p.shown), p.at-p.shown+1, 0)
	for i := range column.Most {
		p.table.Show(strconv.Itoa(i), i >= p.first && i < p.first+p.shown)
	}
	p.table.SelectColumn(strconv.Itoa(p.at))
	p.cell = max(min(room/p.shown-cellGap, widestCell), leastCell)
	p.table.Remeasure()
	p.table.Render(block, min(block.Room(), p.table.Len()+1), table.Frame[string]{Focused: s.focused, Stale: s.stale})
	// Copies are not cut.
	p.cell = math.MaxInt
	if len(p.unknown) > 0 && block.Room() > 0 {
		block.Put(style.Faint, "    no value: "+strings.Join(p.unknown, ", "))
	}
}

func (p *comparePane) below() int {
	if p.alone {
		return 0
	}
	return p.tabular.below()
}

// nextPeriod shows the next period of the chart. If there is no room for rows and chart, it alternates between them.
func (p *comparePane) nextPeriod() {
	if !p.charted && !p.alone {
		p.alone = true
		return
	}
	p.chart.period = p.chart.period.Next()
	p.alone = p.alone && p.chart.period != 0
}

// lineRoles are the styles of the lines. Their signs are the numbers of the columns.
var lineRoles = [column.Most]style.Role{style.Accent, style.Strong, style.Muted, style.Bar}

func (p *comparePane) drawChart(block *style.Block, h *history) {
	heading := block.Line(style.Plain)
	heading.Put(style.Heading, "BEST ASK, "+strings.ToUpper(p.chart.period.Name()))
	names := p.legend("  ", p.view.Label)
	if names.Width() > heading.Room() {
		names = p.legend(" ", p.view.VintageName)
	}
	heading.PutSpans(names)
	prices, known := p.prices(h)
	drawPrices(block, 0, prices, known)
}

func (p *comparePane) legend(gap string, name func(model.VintageKey) string) (names style.Spans) {
	for n, key := range p.marked {
		names = names.Put(lineRoles[n], gap+strconv.Itoa(n+1)+" ").Put(style.Muted, name(key))
	}
	return names
}

func (p *comparePane) prices(h *history) (chart.Prices, bool) {
	to := p.view.Market.At
	first := to.Add(-time.Hour)
	prices := chart.Prices{
		To:    to,
		Zone:  p.view.Location,
		Gaps:  h.gaps(),
		Empty: "No prices were recorded: none of them was for sale while tonne was watching.",
	}
	for n, key := range p.marked {
		observations, known := h.of(key)
		if !known {
			return prices, false
		}
		if len(observations) > 0 && observations[0].At.Before(first) {
			first = observations[0].At
		}
		prices.Lines = append(
			prices.Lines,
			chart.Line{Points: points(observations, to), Role: lineRoles[n], Sign: strconv.Itoa(n + 1)},
		)
	}
	prices.From = p.chart.period.From(first, to)
	return prices, true
}

// export writes the columns of `tonne compare`, and its document as JSON.
func (p *comparePane) export() effect.Effect {
	compared := p.compared
	x := tab.Export[*column.Compared]{
		What:    "the comparison",
		Name:    "Comparison",
		Columns: column.Comparison,
		Part:    p.partial,
		Rows:    slices.Values(compared),
	}
	x.Encode = func(path string) ([]byte, error) {
		if strings.EqualFold(filepath.Ext(path), ".json") {
			return column.ComparisonDocument.JSON(compared).MarshalJSON()
		}
		return output.Encode(path, column.Comparison, x.Rows, x.Sheet())
	}
	return x.Ask(p.view)
}

// mark marks or unmarks the selected vintage, or the one of the marked column in the comparison.
func (t *Tab) mark() effect.Effect {
	p := t.panes.compare
	var key model.VintageKey
	if t.panes.onCompare() && t.panes.focused {
		key, _ = p.target()
	} else if r, ok := t.list.table.Current(); ok {
		key = r.key()
	}
	said := p.toggle(key)
	if t.panes.onCompare() && !p.enough() {
		t.panes.close()
		said += " The comparison is closed, because fewer than two are left."
	}
	return effect.Batch(t.relabel(), effect.Say(said))
}

func (t *Tab) unmark() effect.Effect {
	t.panes.compare.marked = nil
	if t.panes.onCompare() {
		t.panes.close()
	}
	return t.relabel()
}

func (t *Tab) openCompare() {
	if t.panes.onCompare() && t.panes.focused {
		t.panes.close()
		return
	}
	t.panes.show(t.panes.compare)
	t.panes.focus(true)
	t.refresh()
}
