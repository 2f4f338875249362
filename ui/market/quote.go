package market

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/paint"
	"tonne/ui/view"
)

// wanted is what a quote is asked for: whole tonnes to buy, or a quantity to
// retire.
type wanted struct {
	retire   bool
	quantity model.Grams
}

// String is what a person types to ask for it.
func (w wanted) String() string {
	if w.quantity == 0 {
		return ""
	}
	tonnes := strings.TrimSuffix(w.quantity.FormatTonnes(), " t")
	if w.retire {
		return "retire " + tonnes
	}
	return tonnes
}

// parseWanted reads "500" or "retire 0.02", in tonnes. The problem is a
// sentence for the person.
func parseWanted(typed string) (w wanted, problem string) {
	text := strings.ToLower(strings.TrimSpace(typed))
	text, w.retire = strings.CutPrefix(text, "retire")
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(text, "buy")), "t"))
	quantity, err := model.ParseTonnes(text)
	switch {
	case err != nil || quantity == 0:
		return wanted{}, "Type a quantity in tonnes, such as 500, or retire 0.02."
	case !w.retire && !quantity.IsWhole():
		return wanted{}, "Only whole tonnes are sold. To retire a fraction, type retire " + strings.TrimSpace(text) + "."
	}
	w.quantity = quantity
	return w, ""
}

// askQuote lets the person type what the quote is for.
func (t *Tab) askQuote() tea.Cmd {
	return view.Send(view.Ask{
		Title: "Quote", Hint: "tonnes to buy: 500    or to retire: retire 0.02", Value: t.pane.wanted.String(),
		Done: func(typed string) (tea.Cmd, string) {
			w, problem := parseWanted(typed)
			if problem != "" {
				return nil, problem
			}
			t.pane.wanted, t.pane.kind, t.pane.skip = w, showQuote, 0
			return nil, ""
		},
	})
}

// quoteLines is the quote for the selected vintage, made anew with every
// change of the market.
func (p *pane) quoteLines(r row) []text {
	v, book := p.tab.view, p.book.book
	var quote model.Quote
	var err error
	if p.wanted.retire {
		held, _ := v.Held(r.key())
		quote, err = book.Retire(p.wanted.quantity, held)
	} else {
		quote, err = book.Buy(p.wanted.quantity.Tonnes())
	}
	if err != nil {
		return []text{{{paint.Dearer, "✗ This amount is too large to be priced."}}}
	}
	lines := p.quoteHead(quote)
	if quote.BuyTonnes > 0 {
		lines = append(lines, text{{paint.Text, ""}},
			text{{paint.Muted, "costs      "}, {paint.Strong, quote.Cost.FormatDollars()}},
			text{{paint.Muted, "average    "}, {paint.Text, quote.Average.FormatDollars() + " per tonne"}},
			text{{paint.Muted, "last tonne "}, {paint.Text, quote.Marginal.FormatDollars()}},
			text{{paint.Muted, "left       "}, {paint.Text, v.Tonnes(quote.Left) + " in the book"}})
	}
	if p.wanted.retire {
		lines = append(lines, text{{paint.Muted, "remainder  "}, {paint.Text, v.Quantity(quote.Remainder) + " stays in the wallet"}})
	}
	if quote.Short > 0 {
		lines = append(lines, text{{paint.Dearer, "✗ The book is short of " + v.Tonnes(quote.Short) + "."}})
	}
	return append(lines, fillLines(v, quote)...)
}

func (p *pane) quoteHead(q model.Quote) []text {
	v := p.tab.view
	if !p.wanted.retire {
		return []text{{{paint.Name, "Buy " + v.Quantity(q.Requested)}, {paint.Muted, ", cheapest first"}}}
	}
	return []text{
		{{paint.Name, "Retire " + v.Quantity(q.Requested)}},
		{{paint.Muted, "inventory  "}, {paint.Text, v.Quantity(q.FromInventory) + " of what we hold"}},
		{{paint.Muted, "buy        "}, {paint.Text, v.Tonnes(q.BuyTonnes) + ", whole tonnes only"}},
	}
}

func fillLines(v *view.View, q model.Quote) []text {
	if len(q.Fills) == 0 {
		return nil
	}
	lines := []text{{{paint.Text, ""}}, {{paint.Heading, fmt.Sprintf("%10s  %14s  %16s  SELL ORDER", "PRICE/t", "TONNES", "COST")}}}
	for _, f := range q.Fills {
		lines = append(lines, text{
			{paint.Strong, fmt.Sprintf("%10s", f.Order.Price.FormatDollars())},
			{paint.Text, fmt.Sprintf("  %14s  %16s  ", v.Tonnes(f.Tonnes), f.Cost.FormatDollars())},
			{paint.Faint, f.Order.ID},
		})
	}
	return lines
}
