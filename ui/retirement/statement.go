package retirement

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/statement"
	"tonne/ui/column"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type statementPanel struct {
	view   *tab.View
	period period
	by     statement.Grouping
	// source is the data, nil before it is read; leave cancels reading.
	source *statement.Source
	leave  context.CancelFunc
	// made is the statement of source, runs counts the computations that were started.
	made    *statement.Statement
	runs    int
	problem string
	scroll  tab.Scroll
}

func openStatement(v *tab.View, read func(context.Context) (statement.Source, error)) effect.Effect {
	ctx, leave := context.WithCancel(v.Context)
	p := &statementPanel{
		view:   v,
		period: fiscalYear(v.Now().UTC().Year(), time.January),
		by:     statement.PerMonth,
		leave:  leave,
	}
	return effect.Batch(effect.Show{Panel: p}, effect.Work(func(context.Context) any {
		source, err := read(ctx)
		return effect.Then(func() effect.Effect {
			if err != nil {
				p.problem = tab.Sentence(err)
				return nil
			}
			p.source = &source
			return p.compute()
		})
	}))
}

func (p *statementPanel) compute() effect.Effect {
	if p.source == nil {
		return nil
	}
	p.runs++
	run, of := p.runs, p.of()
	return effect.Work(func(context.Context) any {
		made, err := statement.New(of)
		return effect.Then(func() effect.Effect {
			switch {
			case run != p.runs:
				return nil
			case err != nil:
				p.made, p.problem = nil, tab.Sentence(err)
			default:
				p.made, p.problem = &made, ""
			}
			p.scroll = tab.Scroll{}
			return nil
		})
	})
}

func (p *statementPanel) of() statement.Source {
	of := *p.source
	of.From, of.To, of.By = p.period.from, p.period.to, p.by
	return of
}

func (p *statementPanel) Title() string { return "Statement" }

func (p *statementPanel) Size(width, height int) (w, h int) { return min(width, 110), height }

func (p *statementPanel) Draw(b *style.Block) *tea.Cursor {
	p.drawPeriod(b)
	below := 0
	switch {
	case p.problem != "":
		b.Put(style.Warning, "✗ "+p.problem)
	case p.made == nil:
		b.Put(style.Muted, "Loading trades and requests …")
	default:
		lines := p.lines(b.Width())
		below = p.scroll.Draw(b, b.Room()-1, len(lines), func(l *style.Line, n int) { lines[n](l) })
	}
	b.Blank(b.Room() - 1)
	b.Put(style.Faint, p.keys(below))
	return nil
}

func (p *statementPanel) drawPeriod(b *style.Block) {
	line := b.Line(style.Plain)
	line.Put(style.Key, "◂ ")
	line.Put(style.Name, p.period.title())
	line.Put(style.Key, " ▸")
	line.Put(style.Muted, "  by "+string(p.by))
	b.Put(style.Muted, p.account())
	b.Blank(1)
}

func (p *statementPanel) account() string {
	if p.source == nil {
		return ""
	}
	var words []string
	for _, row := range audit.AccountRows(p.of())[1:] {
		words = append(words, strings.ToLower(row[0])+" "+row[1])
	}
	return strings.Join(words, " · ")
}

func (p *statementPanel) keys(below int) string {
	if p.made == nil {
		return "Esc closes"
	}
	const keys = "←→ p date · Tab by · f year · e file · y copy · Esc closes"
	if below > 0 {
		return "j k " + tab.Number(int64(below)) + " more · " + keys
	}
	return keys
}

func (p *statementPanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch msg.Keystroke() {
	case "esc", "q", "S", "shift+s":
		p.leave()
		return true, nil
	case "right", "l":
		p.period = p.period.next(1)
	case "left", "h":
		p.period = p.period.next(-1)
	case "f":
		p.period = p.period.begins()
	case "tab", "shift+tab":
		p.by = following(p.by)
	case "p":
		return false, p.askPeriod()
	case "e":
		return false, p.export()
	case "y":
		return false, p.copy()
	default:
		p.scroll.Press(msg)
		return false, nil
	}
	return false, p.compute()
}

func (p *statementPanel) askPeriod() effect.Effect {
	const hint = "2026, 2026-10, or first and last day: 2026-01-01 2026-03-31"
	return tab.Prompt{Title: "Period of the statement", Hint: hint, Enter: func(typed string) (effect.Effect, string) {
		next, ok := p.period.parse(typed)
		if !ok {
			return nil, "Enter " + hint + "."
		}
		p.period = next
		return p.compute(), ""
	}}.Ask()
}

// Paste does nothing: there is no field.
func (p *statementPanel) Paste(tea.PasteMsg) effect.Effect { return nil }

func (p *statementPanel) export() effect.Effect {
	if p.made == nil {
		return nil
	}
	from, to := p.period.from.Format(time.DateOnly), p.period.to.AddDate(0, 0, -1).Format(time.DateOnly)
	of, made := p.of(), *p.made
	return tab.Export[statement.Row]{
		What: "the statement", File: "statement-" + from + "-" + to + "-" + string(p.by) + ".xlsx",
		Rows: slices.Values(made.Rows),
		Endings: []string{
			".pdf",
			".xlsx",
			".csv",
			".json",
		}, Encode: func(path string) ([]byte, error) {
			return column.EncodeStatement(path, of, made, func(int, int) error { return nil })
		},
	}.Ask(p.view)
}

func (p *statementPanel) rows() [][]string {
	rows := audit.StatementRows(p.of(), *p.made, p.view.Units())
	rows[len(rows)-1][0] = "BALANCE at the end"
	return rows
}

func (p *statementPanel) shares() [][]string {
	if p.made.Total.Retired <= 0 {
		return nil
	}
	return slices.Insert(audit.ShareRows(*p.made, p.view.Units()), 0, []string{"RETIRED BY", "VALUE", "QUANTITY", "SHARE"})
}

func (p *statementPanel) copy() effect.Effect {
	if p.made == nil {
		return nil
	}
	text := p.period.title() + "\n" + p.account() + "\n"
	for _, note := range p.made.Notes {
		text += note.String() + "\n"
	}
	for _, row := range slices.Concat(p.rows(), [][]string{nil}, p.shares()) {
		text += strings.TrimRight(strings.Join(row, "\t"), "\t") + "\n"
	}
	return effect.Copy{Text: text, What: "the statement"}
}

func (p *statementPanel) lines(width int) (lines []func(*style.Line)) {
	put := func(role style.Role, text string) {
		for _, text := range style.Wrap(text, width) {
			lines = append(lines, func(l *style.Line) { l.Put(role, text) })
		}
	}
	blank := func(*style.Line) {}
	for _, note := range p.made.Notes {
		put(style.Warning, "⚠ "+note.String())
		lines = append(lines, blank)
	}
	lines = append(append(lines, tableLines(p.rows(), width, 1, 2)...), blank)
	if shares := p.shares(); shares != nil {
		lines = append(append(lines, tableLines(shares, width, 2, 0)...), blank)
	}
	put(
		style.Muted,
		"Cost is for purchases in this period. The cost of one retirement is in its details, if it is in the journal.",
	)
	return lines
}

// tableLines draws rows below their titles. The first columns are texts, the others are
// aligned on the right. The last rows are totals.
func tableLines(rows [][]string, width, texts, totals int) []func(*style.Line) {
	const gap = 2
	widths := make([]int, len(rows[0]))
	left := width
	for c := range slices.Backward(widths) {
		for _, row := range rows {
			widths[c] = max(widths[c], style.Width(row[c]))
		}
		if c > 0 {
			left -= widths[c] + gap
		}
	}
	widths[0] = max(min(widths[0], left), 8)
	lines := make([]func(*style.Line), len(rows))
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
				if c < texts {
					l.PutLeft(role, text, widths[c])
				} else {
					l.PutRight(role, text, widths[c])
				}
				l.Gap(gap)
			}
		}
	}
	return lines
}

// period is the period of a statement: a fiscal year, or what the user typed.
type period struct {
	from, to time.Time
	// month is the first month of fiscal years.
	month time.Month
}

func fiscalYear(year int, month time.Month) period {
	from := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return period{from, from.AddDate(1, 0, 0), month}
}

func (p period) isYear() bool { return p == fiscalYear(p.from.Year(), p.month) }

// next returns the following period, or for -1 the previous one. It has the same length in months, or else in days.
func (p period) next(step int) period {
	if p.from.Day() == 1 && p.to.Day() == 1 {
		months := step * (12*(p.to.Year()-p.from.Year()) + int(p.to.Month()-p.from.Month()))
		return period{p.from.AddDate(0, months, 0), p.to.AddDate(0, months, 0), p.month}
	}
	length := p.to.Sub(p.from) * time.Duration(step)
	return period{p.from.Add(length), p.to.Add(length), p.month}
}

// begins moves the start of fiscal years by a month.
func (p period) begins() period {
	if p.isYear() {
		from := p.from.AddDate(0, 1, 0)
		return fiscalYear(from.Year(), from.Month())
	}
	p.month = p.month%12 + 1
	return p
}

// parse parses a fiscal year ("2026"), a month ("2026-10"), or the first and the last day
// ("2026-01-01 to 2026-03-31").
func (p period) parse(text string) (period, bool) {
	days := strings.Fields(strings.NewReplacer(" to ", " ", "–", " ", "..", " ").Replace(text))
	if len(days) == 1 {
		if year, err := time.Parse("2006", days[0]); err == nil && year.Year() > 0 {
			return fiscalYear(year.Year(), p.month), true
		}
		month, err := time.Parse("2006-01", days[0])
		return period{month, month.AddDate(0, 1, 0), p.month}, err == nil
	}
	if len(days) != 2 {
		return p, false
	}
	from, err := time.Parse(time.DateOnly, days[0])
	to, errTo := time.Parse(time.DateOnly, days[1])
	return period{from, to.AddDate(0, 0, 1), p.month}, err == nil && errTo == nil && !to.Before(from)
}

func (p period) String() string {
	return model.FormatPeriod(p.from, p.to, tab.DateLayout)
}

func (p period) title() string {
	switch {
	case !p.isYear():
		return p.String()
	case p.month == time.January:
		return p.from.Format("2006") + ": " + p.String()
	}
	return "fiscal year from " + p.from.Format("Jan 2006") + ": " + p.String()
}

func following(by statement.Grouping) statement.Grouping {
	all := statement.Groupings()
	return statement.Grouping(all[(slices.Index(all, string(by))+1)%len(all)])
}
