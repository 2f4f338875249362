package market

import (
	"errors"
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/basket"
	"tonne/model/spreadsheet"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

func (p *basketPane) draw(block *style.Block, s subject) {
	if p.found == nil {
		said := " Finding the cheapest basket …"
		if p.view.Market.Market == nil {
			said = " The market is not read yet."
		}
		block.Put(style.Muted, said)
		return
	}
	head := append(p.asks(block.Width()), p.told(block.Width())...)
	var tail []style.Spans
	if p.found.err == nil {
		tail = p.limits()
	}
	p.around = len(head) + len(tail)
	putLines(block, head, "")
	if p.table.Len() > 0 {
		// A line of the basket says more than what a limit does.
		rows := min(p.table.Len()+1, max(block.Room()-len(tail), 3))
		p.table.Render(block, min(rows, block.Room()), table.Frame[string]{Focused: s.focused, Stale: s.stale})
	}
	putLines(block, tail, "")
}

func (p *basketPane) told(width int) (lines []style.Spans) {
	if warning := oldPrices(p.view); warning != "" {
		lines = append(lines, style.Put(style.Warning, warning))
	}
	found := p.found
	if found.rows.partial {
		lines = append(lines, wrapped(width, "⚠ Only a part of the market is read: this may not be the cheapest.")...)
	}
	if found.err != nil {
		why := "✗ There can be no such basket: " + found.err.Error() + ". B changes it."
		if errors.Is(found.err, model.ErrOverflow) {
			why = "✗ This amount is too large to be priced."
		}
		return append(lines, wrapped(width, why)...)
	}
	if found.Tonnes > 0 {
		lines = append(lines, flow(width, p.sums())...)
	}
	if p.drift != nil {
		lines = append(lines, p.moved())
	}
	if p.lack != "" {
		lines = append(lines, wrapped(width, p.lack)...)
	}
	for _, doubt := range found.doubts {
		lines = append(lines, wrapped(width, "⚠ "+capital(doubt)+".")...)
	}
	return lines
}

func (p *basketPane) words() basket.Wording {
	return basket.Wording{Tonnes: p.view.Tonnes, Limit: limitName, Of: p.found.Basket, Filtered: p.found.filtered, Partial: p.found.rows.partial}
}

// asks is what the basket was asked for: all fields in one line if they fit.
func (p *basketPane) asks(width int) []style.Spans {
	all, filled := p.fields()
	if line := join(all, "   "); line.Width()+1 < width {
		return []style.Spans{line}
	}
	return flow(width, filled)
}

func (p *basketPane) fields() (all, filled []style.Spans) {
	for field, label := range basketLabels {
		value := style.Put(style.Muted, label+" ")
		if is := p.field(field); is != "" {
			value = value.Put(style.Text, is)
			filled = append(filled, value)
		} else {
			value = value.Put(style.Faint, "—")
		}
		all = append(all, value)
	}
	return all, filled
}

func (p *basketPane) field(field int) string {
	r := p.found.request
	switch typed := p.found.typed[field]; {
	case field == fieldTonnes && r.Tonnes > 0:
		return p.view.Tonnes(r.Tonnes)
	case field == fieldBudget && r.Budget > 0:
		return r.Budget.FormatDollars()
	case field == fieldPrice && typed == "" && r.MaxPrice > 0:
		return r.MaxPrice.FormatDollars() + " by the filter"
	case field == fieldPrice && r.MaxPrice > 0:
		return r.MaxPrice.FormatDollars()
	case typed == "" || field < fieldProject:
		return ""
	case field == fieldFloors:
		return floorNames(r)
	default:
		return percent(tab.Typed(typed))
	}
}

func floorNames(r basket.Request) string {
	var names []string
	for _, f := range r.Floors {
		names = append(names, tab.Typed(f.Type)+" "+basket.Percent(f.Share))
	}
	if r.Label.Share > 0 {
		names = append(names, "label "+tab.Typed(r.Label.Label)+" "+basket.Percent(r.Label.Share))
	}
	return strings.Join(names, ", ")
}

func (p *basketPane) sums() []style.Spans {
	found := p.found
	pieces := []style.Spans{
		style.Put(style.Strong, found.Cost.FormatDollars()).Put(style.Text, " for "+p.view.Tonnes(found.Tonnes)),
		style.Put(style.Strong, found.Average().FormatDollars()).Put(style.Text, "/t"),
		style.Put(style.Text, model.Count(len(found.Lines), "order", "orders")+" of "+model.Count(found.projects, "project", "projects")),
	}
	if d, ok := found.versus.Difference(); found.bought && ok {
		piece := difference(d, "").Put(style.Muted, " against last paid")
		if tonnes := found.versus.Tonnes; tonnes < found.Tonnes {
			piece = piece.Put(style.Muted, " where we bought before ("+p.view.Tonnes(tonnes)+")")
		}
		pieces = append(pieces, piece)
	}
	return pieces
}

func difference(d model.PerMille, before string) style.Spans {
	role, arrow := tab.Way(d)
	return style.Put(role, before+arrow+d.String())
}

func (p *basketPane) moved() style.Spans {
	d := p.drift
	if d.left != d.tonnes {
		return style.Put(style.Muted, "moved "+p.view.Ago(d.at)+": it was "+d.was.FormatDollars()+" for "+p.view.Tonnes(d.tonnes))
	}
	role, arrow, way, gap := style.Warning, "▲ ", " dearer than ", d.is-d.was
	if gap < 0 {
		role, arrow, way, gap = style.Cheaper, "▼ ", " cheaper than ", -gap
	}
	return style.Put(style.Muted, "moved "+p.view.Ago(d.at)+": ").
		Put(role, arrow+gap.FormatDollars()).Put(style.Muted, way+d.was.FormatDollars()+" before")
}

func (p *basketPane) limits() (lines []style.Spans) {
	words := p.words()
	var idle []string
	for _, l := range p.found.Limits {
		does := words.Does(l)
		switch does {
		case "":
			continue
		case basket.NotBinding:
			idle = append(idle, limitName(l))
			continue
		}
		line := style.Put(style.Muted, "limit: ").Put(style.Text, limitName(l)).Put(style.Muted, " "+does)
		if at := p.limitAt(l); at != "" {
			line = line.Put(style.Muted, " ("+at+")")
		}
		lines = append(lines, line)
	}
	if len(idle) > 0 {
		does := " does not bind"
		if len(idle) > 1 {
			does = " do not bind"
		}
		lines = append(lines, style.Put(style.Faint, strings.Join(idle, ", ")+does))
	}
	return lines
}

func (p *basketPane) limitAt(l basket.Limit) string {
	if len(l.At) == 0 || l.Kind == basket.TypeFloor {
		return ""
	}
	name := l.At[0]
	if l.Kind == basket.ProjectCap {
		name = p.view.Projects.Name(name)
	}
	if len(l.At) > 1 {
		name += " and " + tab.Number(int64(len(l.At)-1)) + " more"
	}
	return name
}

func capital(phrase string) string {
	if phrase == "" {
		return ""
	}
	return strings.ToUpper(phrase[:1]) + phrase[1:]
}

func join(pieces []style.Spans, between string) (line style.Spans) {
	for i, piece := range pieces {
		if i > 0 {
			line = line.Put(style.Faint, between)
		}
		line = append(line, piece...)
	}
	return line
}

func flow(width int, pieces []style.Spans) (lines []style.Spans) {
	const between = " · "
	var line []style.Spans
	for _, piece := range pieces {
		if len(line) > 0 && join(append(line, piece), between).Width()+1 > width {
			lines = append(lines, join(line, between))
			line = nil
		}
		line = append(line, piece)
	}
	return append(lines, join(line, between))
}

func wrapped(width int, sentence string) (lines []style.Spans) {
	for _, line := range style.Wrap(sentence, max(width-2, 1)) {
		lines = append(lines, style.Put(style.Warning, line))
	}
	return lines
}

var capNames = map[basket.LimitKind]string{
	basket.ProjectCap: "project", basket.TypeCap: "type", basket.CountryCap: "country",
}

func limitName(l basket.Limit) string {
	if l.Kind == basket.MaxPrice {
		return "max price " + l.Price.FormatDollars()
	}
	if of, ok := capNames[l.Kind]; ok {
		return "cap " + of + " " + basket.Percent(l.Share)
	}
	name := tab.Typed(l.Type)
	if l.Kind == basket.LabelledFloor {
		name = "label " + name
	}
	return "floor " + name + " " + basket.Percent(l.Share)
}

var basketColumns = []string{
	"project", "project_id", "type", "country", "vintage", "vintage_id", "sell_order_id", "tonnes", "price_usd_per_tonne", "cost_usd", "share_percent",
	"last_paid_usd_per_tonne", "vs_paid_percent",
}

func (p *basketPane) export() effect.Effect {
	found, projects := p.found, p.view.Projects
	return p.view.Export("basket", "the basket", p.view.LastPaid.At, func() spreadsheet.Sheet {
		sheet := spreadsheet.Sheet{Name: "Basket", Columns: basketColumns, Part: found.rows.partial}
		for _, r := range found.lines {
			sheet.Rows = append(sheet.Rows, r.cells(projects))
		}
		sheet.Totals = make([]spreadsheet.Cell, len(basketColumns))
		sheet.Totals[slices.Index(basketColumns, "tonnes")] = spreadsheet.Sum(spreadsheet.Decimal(found.Tonnes, 0))
		sheet.Totals[slices.Index(basketColumns, "cost_usd")] = spreadsheet.Sum(tab.AmountCell(found.Cost, true))
		return sheet
	})
}

func (r basketRow) cells(projects model.Projects) []spreadsheet.Cell {
	p := projects[r.Vintage.ProjectID]
	versus := spreadsheet.Cell{}
	if d, ok := model.Difference(r.Order.Price, r.paid); ok {
		versus = spreadsheet.Decimal(int64(d), 1)
	}
	text := spreadsheet.Text
	return []spreadsheet.Cell{
		text(projects.Name(r.Vintage.ProjectID)), text(r.Vintage.ProjectID), text(p.Type), text(p.Country), tab.YearCell(int(r.Year)), text(r.Vintage.VintageID),
		text(r.Order.ID), spreadsheet.Decimal(r.Tonnes, 0), tab.PriceCell(r.Order.Price, true), tab.AmountCell(r.Cost, true),
		spreadsheet.Decimal(int64(r.share), 1), tab.PriceCell(r.paid, true), versus,
	}
}

func (p *basketPane) copyRow(s subject) (effect.Copy, bool) {
	if c, ok := p.tabular.copyRow(s); ok {
		c.Whole = p.copyAll
		return c, true
	}
	if p.found == nil {
		return effect.Copy{}, false
	}
	return p.copyAll(), true
}

func (p *basketPane) copyAll() effect.Copy {
	const oneLine = 1 << 20
	lines := []style.Spans{style.Put(style.Text, p.title(subject{})+" · "+p.view.Moment(model.At(p.view.Market.At)))}
	_, filled := p.fields()
	lines = append(append(append(lines, flow(oneLine, filled)...), p.told(oneLine)...), p.limits()...)
	rows, count := p.table.CopyAll()
	return effect.Copy{Text: plainText(lines) + "\n" + rows, What: "the basket, " + model.Count(count, "sell order", "sell orders")}
}
