package inventory

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/model/execution"
	"tonne/model/market"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// boughtPanel is the order book when a purchase was made.
type boughtPanel struct {
	tab    purchases
	row    execution.Row
	scroll tab.Scroll
}

// Why a binding is disabled in this session.
const (
	noRecord  = "This session records no markets."
	noReasons = "Reasons cannot be saved in this session."
)

func (t purchases) openBought() effect.Effect {
	x, ok := t.trades.table.Current()
	switch {
	case !ok:
		return nil
	case x.row != nil:
		return effect.Show{Panel: &boughtPanel{tab: t, row: *x.row}}
	}
	return effect.Say(t.whyNoVerdict(x))
}

// whyNoVerdict returns why a trade is not compared, or "".
func (t purchases) whyNoVerdict(x trade) string {
	switch {
	case x.row != nil:
		return ""
	case t.Record.Compare == nil:
		return noRecord
	case x.Type != "BUY":
		return "Only purchases are compared with the recorded market."
	case t.verdicts.err != nil:
		return tab.Sentence(t.verdicts.err)
	case t.paging:
		return "P shows all wallets, whose purchases are compared."
	}
	return "The purchases are being compared."
}

func (p *boughtPanel) Title() string {
	return "The book when we bought " + tab.Number(p.row.Tonnes()) + " t at " + p.row.Trade.Price.FormatDollars()
}

func (p *boughtPanel) Size(width, height int) (w, h int) {
	w = min(width, 116)
	h = len(p.head(w)) + 2
	if asks := len(p.row.Book.Asks); asks > 0 {
		h += 2 + max(asks, len(p.row.LikeFills)+1)
	}
	return w, min(height, h)
}

func (p *boughtPanel) Draw(b *style.Block) *tea.Cursor {
	for _, line := range p.head(b.Width()) {
		b.Put(line.Role, line.Text)
	}
	keys := "Esc closes"
	if p.whyNoMarket() == "" {
		keys = "m the market then · " + keys
	}
	if p.tab.Record.Explain != nil {
		keys = "L reason · " + keys
	}
	if asks := p.row.Book.Asks; len(asks) > 0 {
		b.Blank(1)
		left, right := p.book(), p.same(b.Width())
		rows := max(len(left), len(right))
		below := p.scroll.Draw(b, b.Room()-1, rows, func(l *style.Line, n int) {
			if n < len(left) {
				l.PutSpans(left[n])
			}
			l.GapTo(bookWidth)
			if n < len(right) {
				l.PutSpans(right[n])
			}
		})
		if below > 0 {
			keys = "j k " + tab.Number(int64(below)) + " more · " + keys
		}
	}
	b.Blank(b.Room() - 1)
	b.Put(style.Faint, keys)
	return nil
}

// head is the sentence, the times and the reason.
func (p *boughtPanel) head(width int) (lines []style.Span) {
	r := p.row
	put := func(role style.Role, text string) {
		for _, part := range style.Wrap(text, width) {
			lines = append(lines, style.Span{Role: role, Text: part})
		}
	}
	verdict := verdictMarks[r.Verdict]
	put(style.Name, p.tab.view.Label(r.Vintage)+" · "+p.tab.view.Moment(r.Trade.ExecutionDate))
	put(verdict.role, verdict.mark+" "+verdict.text)
	put(style.Text, r.Why)
	if r.Read != nil {
		clock := func(at time.Time) string { return at.In(p.tab.view.Location).Format(time.TimeOnly + " MST") }
		text := "read " + clock(r.Read.At) + ", bought " + clock(r.At())
		if !r.Read.Next.IsZero() {
			text += ", next read " + clock(r.Read.Next)
		}
		put(style.Muted, text)
	}
	if r.Reason != "" {
		put(style.Text, "Reason: "+tab.Typed(r.Reason))
	}
	return lines
}

// bookWidth is the width of the book, with the gap after it.
const bookWidth = 62

// book are the lines of the order book. The bought order has a star.
func (p *boughtPanel) book() []style.Spans {
	right := func(text string, width int) string {
		return strings.Repeat(" ", max(width-style.Width(text), 0)) + text
	}
	lines := []style.Spans{style.Put(style.Heading,
		"  "+right("PRICE/t", 11)+right("TONNES", 14)+right("CUM. TONNES", 15)+right("CUM. COST", 17))}
	for _, a := range p.row.Book.Asks {
		mark, role := "  ", style.Text
		if a.Order.ID == p.row.BoughtOrder && a.Order.ID != "" {
			mark, role = "★ ", style.Paid
		}
		cost := "?"
		if cents, err := a.CumCost.Cents(); err == nil {
			cost = cents.FormatDollars()
		}
		lines = append(lines, style.Put(role, mark+right(a.Order.Price.FormatDollars(), 11)+
			right(tonnes(a), 14)+right(tab.Number(a.CumTonnes)+" t", 15)+right(cost, 17)))
	}
	return lines
}

func tonnes(a market.Ask) string { return tab.Number(a.Tonnes) + " t" }

// same are the lines of the cheapest equivalents.
func (p *boughtPanel) same(width int) []style.Spans {
	if width < bookWidth+40 {
		return nil
	}
	lines := []style.Spans{style.Put(style.Heading, "CHEAPEST OF THE SAME")}
	if p.row.Like == "" {
		return append(lines, style.Put(style.Muted, "unknown: the type or the year is not known"))
	}
	for _, f := range p.row.LikeFills {
		text := f.Order.Price.FormatDollars() + "  " + tab.Number(f.Tonnes) + " t  " + p.tab.view.Label(f.Vintage)
		lines = append(lines, style.Put(style.Text, style.Clip(text, width-bookWidth)))
	}
	switch d := p.row.LikeDifference(); {
	case d.Known && d.Cents > 0:
		lines = append(lines, style.Put(style.Muted, "we paid "+d.Cents.FormatDollars()+" more"))
	case d.Known:
		lines = append(lines, style.Put(style.Muted, "we paid no more than that"))
	}
	return lines
}

// whyNoMarket returns why the market of that time cannot be shown, or "".
func (p *boughtPanel) whyNoMarket() string {
	switch {
	case p.tab.Record.Show == nil:
		return noRecord
	case p.row.Read == nil:
		return p.row.Why
	}
	return ""
}

func (p *boughtPanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch msg.Keystroke() {
	case "esc", "q", "enter":
		return true, nil
	case "m":
		if why := p.whyNoMarket(); why != "" {
			return false, effect.Say(why)
		}
		return true, p.tab.Record.Show(p.row.Vintage, p.row.At())
	case "L", "shift+l":
		if p.tab.Record.Explain == nil {
			return false, effect.Say(noReasons)
		}
		return true, p.tab.askReason(p.row)
	}
	p.scroll.Press(msg)
	return false, nil
}

func (p *boughtPanel) Paste(tea.PasteMsg) effect.Effect { return nil }

// askReason prompts for the user's reason of a purchase.
func (t purchases) askReason(r execution.Row) effect.Effect {
	return tab.Prompt{
		Title: "Why we bought " + t.view.Label(r.Vintage), Hint: "any text; earlier reasons are kept", Value: r.Reason,
		Enter: func(typed string) (effect.Effect, string) {
			if strings.TrimSpace(typed) == "" {
				return nil, "Enter a reason, or press Esc."
			}
			return effect.Work(func(ctx context.Context) any {
				err := t.Record.Explain(ctx, r.Purchase, typed)
				return effect.Then(func() effect.Effect {
					if err != nil {
						return effect.Warn("The reason was not saved: " + err.Error() + ".")
					}
					t.explained(r, typed)
					return effect.Say("The reason is saved.")
				})
			}), ""
		},
	}.Ask()
}

func (t purchases) explained(r execution.Row, reason string) {
	rows := t.verdicts.rows[boughtOf(r.Vintage, r.Trade)]
	for i := range rows {
		rows[i].Reason = reason
	}
	t.refresh()
}
