package retirement

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/audit"
	"tonne/model"
	"tonne/model/spreadsheet"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type statementPanel struct {
	view   *tab.View
	period period
	by     model.Grouping
	// source is what was read; leave ends the reading.
	source *model.StatementSource
	leave  context.CancelFunc
	save   func(path string, book spreadsheet.Workbook) error
	// made is the statement of source, asked counts those that were asked for.
	made    *model.Statement
	asked   int
	problem string
	// typed takes a time that the person types; wrong says that it is none.
	typed  tab.Entry
	wrong  bool
	scroll tab.Scroll
}

// openStatement shows the statement of the present year, once what it is made of was
// read.
func openStatement(v *tab.View, read func(context.Context) (model.StatementSource, error), save func(path string, book spreadsheet.Workbook) error) effect.Effect {
	ctx, leave := context.WithCancel(v.Context)
	p := &statementPanel{view: v, period: period{}.ofYear(v.Now().UTC().Year(), time.January), by: model.PerMonth, leave: leave, save: save, typed: tab.NewEntry()}
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
	p.asked++
	asked, of := p.asked, p.of()
	return effect.Work(func(context.Context) any {
		made, err := model.NewStatement(of)
		return effect.Then(func() effect.Effect {
			switch {
			case asked != p.asked:
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

func (p *statementPanel) of() model.StatementSource {
	of := *p.source
	of.From, of.To, of.By = p.period.from, p.period.to, p.by
	return of
}

func (p *statementPanel) Title() string { return "Statement" }

func (p *statementPanel) Size(width, height int) (w, h int) { return min(width, 110), height }

func (p *statementPanel) Draw(b *style.Block) *tea.Cursor {
	cursor := p.drawPeriod(b)
	below := 0
	switch {
	case p.problem != "":
		b.Put(style.Warning, "✗ "+p.problem)
	case p.made == nil:
		b.Put(style.Muted, "Reading the trades and the requests …")
	default:
		lines := p.lines(b.Width())
		below = p.scroll.Draw(b, b.Room()-1, len(lines), func(l *style.Line, n int) { lines[n](l) })
	}
	b.Blank(b.Room() - 1)
	b.Put(style.Faint, p.keys(below))
	return cursor
}

func (p *statementPanel) drawPeriod(b *style.Block) *tea.Cursor {
	line := b.Line(style.Plain)
	if !p.typed.Focused() {
		line.Put(style.Key, "◂ ")
		line.Put(style.Name, p.period.title())
		line.Put(style.Key, " ▸")
		line.Put(style.Muted, "  by "+string(p.by))
		b.Blank(1)
		return nil
	}
	line.Put(style.Accent, "❯ ")
	cursor := p.typed.Draw(line, 0)
	role, hint := style.Muted, "2026, 2026-10, or the first and the last day: 2026-01-01 2026-03-31"
	if p.wrong {
		role, hint = style.Warning, "✗ type "+hint
	}
	b.Put(role, hint)
	return cursor
}

func (p *statementPanel) keys(below int) string {
	switch {
	case p.typed.Focused():
		return "↵ takes it · Esc leaves it"
	case p.made == nil:
		return "Esc closes"
	}
	const keys = "←→ p time · Tab by · f year · e file · y copy · Esc closes"
	if below > 0 {
		return "j k " + tab.Number(int64(below)) + " more · " + keys
	}
	return keys
}

func (p *statementPanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	key := msg.Keystroke()
	if p.typed.Focused() {
		return false, p.typeKey(key, msg)
	}
	switch key {
	case "esc", "q", "S", "shift+s":
		p.leave()
		return true, nil
	case "right", "l":
		p.period = p.period.beside(1)
	case "left", "h":
		p.period = p.period.beside(-1)
	case "f":
		p.period = p.period.begins()
	case "tab", "shift+tab":
		p.by = following(p.by)
	case "p":
		p.typed.SetValue("")
		p.typed.Focus()
		return false, nil
	case "e":
		return p.made != nil && p.save != nil, p.askFile()
	case "y":
		return false, p.copy()
	default:
		p.scroll.Press(msg)
		return false, nil
	}
	return false, p.compute()
}

func (p *statementPanel) typeKey(key string, msg tea.KeyPressMsg) effect.Effect {
	p.wrong = false
	switch key {
	case "esc":
		p.typed.Blur()
	case "enter":
		next, ok := p.period.parse(p.typed.Value())
		if p.wrong = !ok; ok {
			p.period = next
			p.typed.Blur()
			return p.compute()
		}
	default:
		p.typed.Take(msg)
	}
	return nil
}

func (p *statementPanel) Paste(msg tea.PasteMsg) effect.Effect { return p.typed.Take(msg) }

func (p *statementPanel) askFile() effect.Effect {
	switch {
	case p.made == nil:
		return nil
	case p.save == nil:
		return effect.Warn("Statements cannot be written here; y copies one.")
	}
	book := audit.StatementWorkbook(p.of(), *p.made)
	from, to := p.period.from.Format(time.DateOnly), p.period.to.AddDate(0, 0, -1).Format(time.DateOnly)
	return tab.NewFile{
		Title: "Write the statement", Hint: "a new file that ends in .xlsx", Name: "statement-" + from + "-" + to + "-" + string(p.by) + ".xlsx",
		Ending: func(path string) string {
			if !strings.EqualFold(filepath.Ext(path), ".xlsx") {
				return "The name must end in .xlsx."
			}
			return ""
		},
		Write: func(path string) (effect.Effect, error) {
			return effect.Say("Wrote the statement to " + tab.Typed(path) + "."), p.save(path, book)
		},
	}.Ask()
}

func (p *statementPanel) rows() [][]string {
	rows := audit.StatementRows(p.of(), *p.made, p.view.Quantity)
	rows[len(rows)-1][0] = "BALANCE at the end"
	return slices.Insert(rows, 0, []string{strings.ToUpper(string(p.by)), "BOUGHT", "COST", "RETIRED"})
}

func (p *statementPanel) shares() [][]string {
	if p.made.Total.Retired == 0 {
		return nil
	}
	return slices.Insert(audit.ShareRows(*p.made, p.view.Quantity), 0, []string{"RETIRED BY", "VALUE", "QUANTITY", "SHARE"})
}

func (p *statementPanel) copy() effect.Effect {
	if p.made == nil {
		return nil
	}
	text := p.period.title() + "\n"
	for _, note := range p.made.Notes {
		text += note + "\n"
	}
	for _, row := range slices.Concat(p.rows(), [][]string{nil}, p.shares()) {
		text += strings.TrimRight(strings.Join(row, "\t"), "\t") + "\n"
	}
	return effect.Copy{Text: text, What: "the statement"}
}

// lines are those of a width. What the figures leave out comes before them: below a
// long table nobody sees it.
func (p *statementPanel) lines(width int) (lines []func(*style.Line)) {
	put := func(role style.Role, text string) {
		for _, text := range style.Wrap(text, width) {
			lines = append(lines, func(l *style.Line) { l.Put(role, text) })
		}
	}
	blank := func(*style.Line) {}
	for _, note := range p.made.Notes {
		put(style.Warning, "⚠ "+note)
		lines = append(lines, blank)
	}
	lines = append(append(lines, tableLines(p.rows(), width, [4]bool{false, true, true, true}, 2)...), blank)
	if shares := p.shares(); shares != nil {
		lines = append(append(lines, tableLines(shares, width, [4]bool{false, false, true, true}, 0)...), blank)
	}
	put(style.Muted, "Cost is what was bought in this time. What one retirement cost stands in its details, where the journal knows it.")
	return lines
}

func tableLines(rows [][]string, width int, right [4]bool, totals int) []func(*style.Line) {
	const gap = 2
	var widths [4]int
	for _, row := range rows {
		for c, text := range row {
			widths[c] = max(widths[c], style.Width(text))
		}
	}
	widths[0] = max(min(widths[0], width-widths[1]-widths[2]-widths[3]-3*gap), 8)
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

// period is the time of a statement: a fiscal year, or what a person typed.
type period struct {
	from, to time.Time
	// month is the one that fiscal years begin with.
	month time.Month
	// year is the one in which the fiscal year begins; 0 for a time that was
	// typed.
	year int
}

func (period) ofYear(year int, month time.Month) period {
	from := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return period{from: from, to: from.AddDate(1, 0, 0), month: month, year: year}
}

func (p period) beside(step int) period {
	if p.year != 0 {
		return p.ofYear(p.year+step, p.month)
	}
	length := p.to.Sub(p.from) * time.Duration(step)
	next := p
	next.from, next.to = p.from.Add(length), p.to.Add(length)
	if p.from.Day() == 1 && p.to.Equal(p.from.AddDate(0, 1, 0)) {
		next.from, next.to = p.from.AddDate(0, step, 0), p.from.AddDate(0, step+1, 0)
	}
	return next
}

func (p period) begins() period {
	month := p.month%12 + 1
	if p.year == 0 {
		p.month = month
		return p
	}
	year := p.year
	if month == time.January {
		year++
	}
	return p.ofYear(year, month)
}

// parse reads a time as a person types it: a fiscal year ("2026"), a month
// ("2026-10"), or the first and the last day ("2026-01-01 to 2026-03-31").
func (p period) parse(text string) (period, bool) {
	text = strings.TrimSpace(text)
	if year, err := time.Parse("2006", text); err == nil && year.Year() > 0 {
		return p.ofYear(year.Year(), p.month), true
	}
	next := period{month: p.month}
	if month, err := time.Parse("2006-01", text); err == nil {
		next.from, next.to = month, month.AddDate(0, 1, 0)
		return next, true
	}
	days := strings.Fields(strings.NewReplacer(" to ", " ", "–", " ", "..", " ").Replace(text))
	if len(days) != 2 {
		return p, false
	}
	from, err := time.Parse(time.DateOnly, days[0])
	to, errTo := time.Parse(time.DateOnly, days[1])
	if err != nil || errTo != nil || to.Before(from) {
		return p, false
	}
	next.from, next.to = from, to.AddDate(0, 0, 1)
	return next, true
}

func (p period) String() string {
	return p.from.Format(tab.DateLayout) + " to " + p.to.AddDate(0, 0, -1).Format(tab.DateLayout) + " UTC"
}

func (p period) title() string {
	switch {
	case p.year == 0:
		return p.String()
	case p.month == time.January:
		return p.from.Format("2006") + ": " + p.String()
	}
	return "fiscal year from " + p.from.Format("Jan 2006") + ": " + p.String()
}

func following(by model.Grouping) model.Grouping {
	all := model.Groupings()
	return model.Grouping(all[(slices.Index(all, string(by))+1)%len(all)])
}
