package statement

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"tonne/model"
	"tonne/ui/style"
)

type line func(l *style.Line)

type cells [4]string

func (p *Panel) rows() []cells {
	all := []cells{{strings.ToUpper(string(p.by)), "BOUGHT", "COST", "RETIRED"}}
	for _, row := range append(slices.Clip(p.made.Rows), p.made.Total) {
		key := row.Key
		if p.by == model.PerProject {
			key = p.source.Projects.Name(key)
		}
		all = append(all, cells{cmp.Or(key, "TOTAL"), p.view.Quantity(row.Bought), dollars(row.Cost), p.view.Quantity(row.Retired)})
	}
	balance := "not known"
	if p.made.Balance.Known() {
		balance = p.view.Quantity(p.made.Balance)
	}
	return append(all, cells{"BALANCE at the end", balance})
}

func dollars(c model.Cost) string {
	amount, err := c.Cents()
	if err != nil {
		return "too large"
	}
	return amount.FormatDollars()
}

// shareRows are the shares as texts: none of what was not retired.
func (p *Panel) shareRows() []cells {
	if p.made.Total.Retired == 0 {
		return nil
	}
	all := []cells{{"RETIRED BY", "VALUE", "QUANTITY", "SHARE"}}
	whole := p.made.Total.Retired
	add := func(share model.DisclosureShare, value string, g model.Grams) {
		all = append(all, cells{ShareName(share), value, p.view.Quantity(g), part(g, whole)})
	}
	for _, share := range p.made.Shares {
		for _, part := range share.Parts {
			add(share, part.Value, part.Grams)
		}
		if share.Unclassified > 0 {
			add(share, "not classified", share.Unclassified)
		}
	}
	return all
}

// part is a part of a whole in tenths of a per cent, rounded half up: what is
// not all is never 100 %, and what is something never 0 %.
func part(g, whole model.Grams) string {
	if g < 0 || whole <= 0 || g > whole {
		return ""
	}
	high, low := bits.Mul64(uint64(g), 1000)
	permille, rest := bits.Div64(high, low, uint64(whole))
	if rest >= uint64(whole)-rest {
		permille++
	}
	switch {
	case permille == 0 && g > 0:
		return "< 0.1 %"
	case permille == 1000 && g < whole:
		return "> 99.9 %"
	}
	return fmt.Sprintf("%d.%d %%", permille/10, permille%10)
}

// newLines are the lines of a width. What the figures leave out comes before
// them: below a long table nobody sees it.
func (p *Panel) newLines(width int) []line {
	var lines []line
	put := func(role style.Role, text string) {
		for _, text := range style.Wrap(text, width) {
			lines = append(lines, func(l *style.Line) { l.Put(role, text) })
		}
	}
	blank := func() { lines = append(lines, func(*style.Line) {}) }
	for _, note := range p.made.Notes {
		put(style.Warning, "⚠ "+note)
		blank()
	}
	lines = append(lines, tableLines(p.rows(), width, [4]bool{false, true, true, true}, 2)...)
	blank()
	if shares := p.shareRows(); shares != nil {
		lines = append(lines, tableLines(shares, width, [4]bool{false, false, true, true}, 0)...)
		blank()
	}
	put(style.Muted, "Cost is what was bought in this time. What one retirement cost stands in its details, where the journal knows it.")
	return lines
}

// gap is the cells between two columns.
const gap = 2

func tableLines(rows []cells, width int, right [4]bool, totals int) []line {
	var widths [4]int
	for _, row := range rows {
		for c, text := range row {
			widths[c] = max(widths[c], style.Width(text))
		}
	}
	widths[0] = max(min(widths[0], width-widths[1]-widths[2]-widths[3]-3*gap), 8)
	lines := make([]line, len(rows))
	for n, row := range rows {
		role := style.Text
		switch {
		case n == 0:
			role = style.Heading
		case n >= len(rows)-totals:
			role = style.Name
		}
		lines[n] = func(l *style.Line) {
			for c, text := range row {
				if right[c] {
					l.PutRight(role, text, widths[c])
				} else {
					l.PutLeft(role, text, widths[c])
				}
				l.Gap(gap)
			}
		}
	}
	return lines
}
