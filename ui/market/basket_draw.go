package market

import (
	"errors"
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/basket"
	"tonne/ui/column"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

func (p *basketPane) draw(block *style.Block, s subject) {
	if p.found == nil {
		said := " Computing the cheapest basket …"
		if p.view.Market.Market == nil {
			said = " The market is not loaded yet."
		}
		block.Put(style.Muted, said)
		return
	}
	head := p.summary(block.Width())
	var tail []style.Spans
	if p.found.err == nil {
		tail = p.limits()
	}
	p.around = len(head) + len(tail)
	putLines(block, head, "")
	if p.table.Len() > 0 {
		// Lines of the basket matter more than the explanation of the limits.
		rows := min(p.table.Len()+1, max(block.Room()-len(tail), 3))
		p.table.Render(block, min(rows, block.Room()), table.Frame[string]{Focused: s.focused, Stale: s.stale})
	}
	putLines(block, tail, "")
}

func (p *basketPane) summary(width int) (lines []style.Spans) {
	if warning := oldPrices(p.view); warning != "" {
		lines = append(lines, style.Put(style.Warning, warning))
	}
	found := p.found
	if found.rows.partial {
		lines = append(lines, wrapped(width, "⚠ Only part of the market is loaded: a cheaper basket may exist.")...)
	}
	if found.err != nil {
		why := "✗ No such basket is possible: " + found.err.Error() + ". B changes it."
		if errors.Is(found.err, model.ErrOverflow) {
			why = "✗ The amount is too large to price."
		}
		return append(lines, wrapped(width, why)...)
	}
	if found.Tonnes > 0 {
		lines = append(lines, flow(width, p.sums())...)
	}
	if what, todo := found.book.NotFilled(found.request, found.Basket, p.words()); what != "" {
		lines = append(lines, wrapped(width, "✗ "+tab.Capital(what)+". "+tab.Capital(todo.String())+".")...)
	}
	for _, doubt := range found.doubts {
		lines = append(lines, wrapped(width, "⚠ "+tab.Capital(doubt)+".")...)
	}
	return lines
}

func (p *basketPane) words() basket.Wording {
	return basket.Wording{
		Tonnes: p.view.Tonnes, Limit: p.limitName, Project: p.view.Projects.Name, Of: p.found.Basket,
		Filtered: p.found.filtered, Partial: p.found.rows.partial,
	}
}

func (p *basketPane) limitName(l basket.Limit) string {
	switch {
	case l.Kind != basket.MaxPrice:
		return tab.Typed(l.String())
	case p.found.typed[fieldPrice] == "":
		return "max price " + l.Price.FormatDollars() + " (from the filter)"
	}
	return "max price " + l.Price.FormatDollars()
}

func (p *basketPane) sums() []style.Spans {
	found := p.found
	pieces := []style.Spans{
		style.Put(style.Strong, found.Cost.FormatDollars()).Put(style.Text, " for "+p.view.Tonnes(found.Tonnes)),
		style.Put(style.Strong, found.Average().FormatDollars()).Put(style.Text, "/t"),
		style.Put(style.Text,
			model.Count(len(found.Lines), "order", "orders")+" of "+model.Count(found.projects, "project", "projects")),
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

func (p *basketPane) limits() (lines []style.Spans) {
	words := p.words()
	var idle []string
	for _, l := range p.found.Limits {
		does := words.Does(l)
		switch does {
		case "":
			continue
		case basket.NotBinding:
			idle = append(idle, p.limitName(l))
			continue
		}
		line := style.Put(style.Muted, "limit: ").Put(style.Text, p.limitName(l)).Put(style.Muted, " "+does)
		if at := words.At(l); at != "" {
			line = line.Put(style.Muted, " ("+at+")")
		}
		lines = append(lines, line)
	}
	if len(idle) > 0 {
		lines = append(lines, style.Put(style.Faint, "not binding: "+strings.Join(idle, ", ")))
	}
	return lines
}

func flow(width int, pieces []style.Spans) (lines []style.Spans) {
	for _, piece := range pieces {
		last := len(lines) - 1
		if last < 0 || lines[last].Width()+style.Width(tab.PartsBetween)+piece.Width() >= width {
			lines = append(lines, piece)
			continue
		}
		lines[last] = append(lines[last].Put(style.Faint, tab.PartsBetween), piece...)
	}
	return lines
}

func wrapped(width int, sentence string) (lines []style.Spans) {
	for _, line := range style.Wrap(sentence, max(width-2, 1)) {
		lines = append(lines, style.Put(style.Warning, line))
	}
	return lines
}

func (p *basketPane) export() effect.Effect {
	found := p.found
	return tab.Export[*column.BasketLine]{
		What: "the basket", Name: "Basket", Columns: column.Basket, Part: found.rows.partial,
		Rows: slices.Values(found.lines),
	}.Ask(p.view)
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
	lines = append(append(lines, p.summary(oneLine)...), p.limits()...)
	rows, count := p.table.CopyAll()
	return effect.Copy{Text: plainText(lines) + "\n" + rows,
		What: "the basket, " + model.Count(count, "sell order", "sell orders")}
}
