package market

import (
	"fmt"
	"strings"

	"tonne/api"
	"tonne/api/session"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// quoteOrder is a quantity to buy in whole tonnes, or a quantity to retire.
type quoteOrder struct {
	retire   bool
	quantity model.Grams
}

// String returns o as a user types it; parseQuoteOrder reads it.
func (o quoteOrder) String() string {
	if o.quantity == 0 {
		return ""
	}
	tonnes := string(o.quantity.AppendTonnes(nil))
	if o.retire {
		return "retire " + tonnes
	}
	return tonnes
}

// parseQuoteOrder reads what a user types. "all" is what the book sells, or what we hold.
func parseQuoteOrder(typed string, sold, held model.Grams) (o quoteOrder, problem string) {
	text, all := strings.ToLower(strings.TrimSpace(typed)), sold
	if text, o.retire = strings.CutPrefix(text, "retire"); o.retire {
		all = held
	}
	text = strings.TrimPrefix(text, "buy")
	quantity, err := model.ParseQuantity(text, all)
	switch {
	case model.IsAmbiguous(err):
		return quoteOrder{}, err.Error()
	case err != nil || quantity == 0:
		return quoteOrder{}, "Enter a quantity, such as 500, all, retire 2.5 or retire 20 g."
	case !o.retire && !quantity.IsWhole():
		return quoteOrder{}, "Only whole tonnes are sold. To retire a fraction, enter retire " + strings.TrimSpace(text) + "."
	}
	o.quantity = quantity
	return o, ""
}

type quotePane struct {
	prose
	view  *tab.View
	order quoteOrder
}

func (p *quotePane) note(line *style.Line, s subject) {
	p.hints = [][2]string{{"Y", "copies it"}, {"R", "retires it"}}
	if p.view.Retire == nil {
		p.hints = p.hints[:1]
	}
	p.heading.note(line, s)
}

type plan struct {
	quoteOrder
	market.Quote
	row     row
	held    model.Grams
	others  []portfolio.Wallet
	counted bool
	// unread is whether a plan is impossible, because this run has not loaded prices yet.
	unread   bool
	tooLarge bool
}

// askQuote asks for the quantity, and shows the quote of what is typed so far. subject returns the selection.
func (p *panes) askQuote(subject func() subject) effect.Effect {
	of := subject().key()
	parse := func(typed string) (o quoteOrder, problem string) {
		s := subject()
		if !s.selected || s.key() != of {
			return o, "This vintage is no longer for sale."
		}
		held := model.UnknownGrams
		if usable, _, counted := p.list.view.Usable(of); counted {
			held = usable
		}
		sold, _ := model.WholeTonnes(s.book.Tonnes())
		return parseQuoteOrder(typed, sold, held)
	}
	return tab.Prompt{
		Title: "Quote · " + subject().vintageTitle(), Value: p.quote.order.String(),
		Hint: "500 or all to buy · retire 2.5, 500 kg, 20 g or all",
		Preview: func(typed string) []style.Spans {
			order, problem := parse(typed)
			if problem != "" {
				return p.quote.offer(subject(), typed, problem)
			}
			return p.quote.plan(order, subject()).sums(p.list.view)
		},
		Enter: func(typed string) (effect.Effect, string) {
			order, problem := parse(typed)
			if problem == "" {
				p.quote.order = order
				p.show(p.quote)
			}
			return nil, problem
		},
	}.Ask()
}

// offer says what can be bought, while no quantity is typed.
func (p *quotePane) offer(s subject, typed, problem string) []style.Spans {
	if typed != "" || !s.selected {
		return []style.Spans{style.Put(style.Muted, problem)}
	}
	lines := []style.Spans{planLine("for sale", p.view.Tonnes(s.book.Tonnes()))}
	if len(s.book.Asks) > 0 {
		lines = append(lines, planLine("best ask", s.book.Asks[0].Order.Price.FormatDollars()+" per tonne"))
	}
	if usable, _, counted := p.view.Usable(s.key()); counted {
		lines = append(lines, planLine("you hold", p.view.Quantity(usable)))
	}
	return append(lines, plan{row: s.row}.paid(p.view))
}

func (p *quotePane) plan(order quoteOrder, s subject) plan {
	q := plan{quoteOrder: order, row: s.row}
	q.held, q.others, q.counted = p.view.Usable(s.key())
	if q.unread = q.retire && p.view.Market.Earlier; q.unread {
		return q
	}
	var err error
	if q.retire {
		q.Quote, err = s.book.Retire(q.quantity, q.held)
	} else {
		q.Quote, err = s.book.Buy(q.quantity.Tonnes())
	}
	q.tooLarge = err != nil
	return q
}

const sideBySide, sumsWidth = 110, 68

func (p *quotePane) draw(block *style.Block, s subject) {
	q := p.plan(p.order, s)
	sums, fills := q.sums(p.view), q.fills(p.view)
	if warning := oldPrices(p.view); warning != "" {
		sums = append([]style.Spans{style.Put(style.Warning, warning)}, sums...)
	}
	if note := leftOut(s.book).String(); note != "" {
		sums = append(sums, style.Put(style.Faint, note))
	}
	if block.Width() < sideBySide || len(fills) == 0 {
		if len(fills) > 0 {
			sums = append(append(sums, style.Spans{}), fills...)
		}
		p.put(block, sums)
		return
	}
	block.Split(sumsWidth, 0, 0, func(left *style.Block) { putLines(left, sums, "") },
		func(right *style.Block) { p.put(right, fills) })
}

func oldPrices(v *tab.View) string {
	switch e := v.Market; e.State {
	case session.Stale, session.Refused:
		why := "."
		if e.Err != nil {
			why = ": " + api.Brief(e.Err) + "."
		}
		return "⚠ These prices are " + tab.Age(v.Now().Sub(e.At)) + " old" + why
	case session.Paused:
		return "⚠ Polling is paused: these prices are from " + v.Moment(model.At(e.At)) + "."
	}
	return ""
}

func (p *quotePane) copyRow(s subject) (effect.Copy, bool) {
	if !s.selected {
		return effect.Copy{}, false
	}
	q := p.plan(p.order, s)
	lines := []style.Spans{style.Put(style.Name,
		s.vintageTitle()+" · "+s.vintage().ID+" · "+p.view.Moment(model.At(p.view.Market.At)))}
	lines = append(append(lines, q.sums(p.view)...), q.fills(p.view)...)
	return effect.Copy{Text: plainText(lines), What: "the quote"}, true
}

func labelled(width int, label string, role style.Role, value string) style.Spans {
	label = style.Clip(label, width-1)
	return style.Put(style.Muted, label+strings.Repeat(" ", width-style.Width(label))).Put(role, value)
}

func planLine(label, value string) style.Spans { return labelled(14, label, style.Text, value) }

func (q plan) sums(v *tab.View) (lines []style.Spans) {
	warn := func(text string) { lines = append(lines, style.Put(style.Warning, text)) }
	switch {
	case q.unread:
		warn("✗ A plan to retire needs current prices, and the service has not answered yet.")
		return lines
	case q.tooLarge:
		warn("✗ The amount is too large to price.")
		return lines
	}
	what, how := "Buy ", ", cheapest first"
	if q.retire {
		what, how = "Retire ", ", inventory first"
	}
	vintage := q.row.name() + " · " + tab.Year(int(q.row.vintage().Year))
	lines = append(lines, style.Put(style.Name, what+v.Quantity(q.Requested)).
		Put(style.Muted, " of ").Put(style.Name, vintage).Put(style.Muted, how))
	if q.retire {
		lines = append(lines,
			planLine("inventory", v.Quantity(q.FromInventory)+" of the "+v.Quantity(q.held)+" we hold"),
			planLine("buy", v.Tonnes(q.BuyTonnes+q.Short)+", whole tonnes only"))
	}
	if q.Short > 0 {
		warn("✗ Short by " + v.Tonnes(q.Short) + ": the order book has " + v.Tonnes(q.BuyTonnes+q.Left) + ".")
	}
	if q.BuyTonnes > 0 {
		lines = append(lines, q.costs(v)...)
	}
	lines = append(lines, q.paid(v))
	if q.retire {
		lines = append(lines,
			planLine("remainder", v.Quantity(q.Remainder)+" of the purchase stays in the wallet"),
			planLine("wallet after", v.Quantity((q.held-q.FromInventory).Plus(q.Remainder))))
	}
	if q.retire && q.counted && len(q.others) > 0 {
		warn("⚠ " + portfolio.NotCounted(q.others) + ".")
	}
	if q.retire && !q.counted {
		warn("⚠ Our inventory is not loaded yet: the plan counts none of it.")
	}
	return lines
}

func (q plan) costs(v *tab.View) []style.Spans {
	costs := planLine("costs", "").Put(style.Strong, q.Cost.FormatDollars())
	if q.Short > 0 {
		costs = costs.Put(style.Warning, "  for "+v.Tonnes(q.BuyTonnes)+" only")
	}
	average := planLine("average", q.Average.FormatDollars()+" per tonne")
	paid, bought := q.row.lastPaid()
	if d, ok := q.Versus(paid.Price); bought && ok {
		average = append(average, difference(d, "  ")...).
			Put(style.Muted, " on the ").Put(style.Paid, "★ "+paid.Price.FormatDollars()).Put(style.Muted, " last paid")
	}
	left := planLine("left in book", v.Tonnes(q.Left))
	return []style.Spans{costs, average, planLine("last tonne", q.Marginal.FormatDollars()), left}
}

func (q plan) paid(v *tab.View) style.Spans {
	line := planLine("last paid", "")
	paid, ok := q.row.lastPaid()
	switch {
	case ok:
		return line.Put(style.Paid, "★ "+paid.Price.FormatDollars()).
			Put(style.Muted, " per tonne, "+v.Quantity(paid.Quantity)+" on "+v.Day(paid.ExecutionDate))
	case v.Book.LastPaid == nil:
		return line.Put(style.Muted, "not loaded yet")
	}
	return line.Put(style.Muted, "never bought by us")
}

func (q plan) fills(v *tab.View) (lines []style.Spans) {
	if len(q.Fills) == 0 {
		return nil
	}
	cells := [][4]string{{"PRICE/t", v.Unit(), "COST", "SELL ORDER"}}
	for _, f := range q.Fills {
		o := f.Order
		cells = append(cells, [4]string{o.Price.FormatDollars(), v.Tonnes(f.Tonnes), f.Cost.FormatDollars(), o.ID})
	}
	var widths [3]int
	for _, row := range cells {
		for column := range widths {
			widths[column] = max(widths[column], style.Width(row[column]))
		}
	}
	price, rest, id := style.Heading, style.Heading, style.Heading
	for _, row := range cells {
		numbers := fmt.Sprintf("   %*s   %*s   ", widths[1], row[1], widths[2], row[2])
		lines = append(lines, style.Put(price, fmt.Sprintf("%*s", widths[0], row[0])).Put(rest, numbers).Put(id, row[3]))
		price, rest, id = style.Strong, style.Text, style.Faint
	}
	return lines
}
