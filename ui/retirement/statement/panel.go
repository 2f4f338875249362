package statement

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/model/spreadsheet"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// Panel shows a statement, whose time and grouping can be changed. Open makes
// one.
type Panel struct {
	view   *tab.View
	period period
	by     model.Grouping
	// source is what was read; leave ends the reading.
	source *model.StatementSource
	leave  context.CancelFunc
	// save writes a workbook to a new file; nil writes none.
	save func(path string, book spreadsheet.Workbook) error
	// made is the statement of source, asked counts those that were asked for.
	made  *model.Statement
	asked int
	// problem is why there is none.
	problem string
	// typed takes a time that the person types; wrong says that it is none.
	typed tab.Entry
	wrong bool
	lines []line
	// width is the one that the lines were made for, room the height of the last
	// frame.
	width, scroll, room int
}

// Open shows the statement of the present year, once read has read what it is
// made of. What comes of that goes to the tab's Handle as a Read, what comes of
// each change as a Made, and the name of a file as a File. Save writes a workbook
// to a new file; nil writes none.
func Open(v *tab.View, read func(context.Context) (model.StatementSource, error), save func(path string, book spreadsheet.Workbook) error) effect.Effect {
	ctx, leave := context.WithCancel(v.Context)
	p := &Panel{view: v, period: fiscalYear(v.Now(), time.January), by: model.PerMonth, leave: leave, save: save, typed: tab.NewEntry()}
	return effect.Batch(effect.Show{Panel: p}, effect.Work(func(context.Context) any {
		source, err := read(ctx)
		return Read{p, source, err}
	}))
}

// Read is what statements are made of, or why it was not read.
type Read struct {
	panel  *Panel
	source model.StatementSource
	err    error
}

// Show shows the statement of what was read.
func (r Read) Show() effect.Effect {
	if r.err != nil {
		r.panel.problem = tab.Sentence(r.err)
		return nil
	}
	r.panel.source = &r.source
	return r.panel.make()
}

func (p *Panel) make() effect.Effect {
	if p.source == nil {
		return nil
	}
	p.asked++
	asked, of := p.asked, p.of()
	return effect.Work(func(context.Context) any {
		s, err := model.NewStatement(of)
		return Made{p, asked, s, err}
	})
}

func (p *Panel) of() model.StatementSource {
	of := *p.source
	of.From, of.To, of.By = p.period.from, p.period.to, p.by
	return of
}

// Made is a statement, or why it could not be made.
type Made struct {
	panel     *Panel
	asked     int
	statement model.Statement
	err       error
}

// Show shows the statement, unless another one was asked for meanwhile.
func (m Made) Show() {
	p := m.panel
	if m.asked != p.asked {
		return
	}
	p.made, p.problem, p.lines, p.scroll = &m.statement, "", nil, 0
	if m.err != nil {
		p.made, p.problem = nil, tab.Sentence(m.err)
	}
}

// Title says what it is.
func (p *Panel) Title() string { return "Statement" }

// Size asks for the whole body.
func (p *Panel) Size(width, height int) (w, h int) { return min(width, 110), height }

// Draw draws the time, the statement and the keys.
func (p *Panel) Draw(b *style.Block) *tea.Cursor {
	cursor := p.drawPeriod(b)
	p.room = max(b.Room()-1, 0)
	switch {
	case p.problem != "":
		b.Put(style.Warning, "✗ "+p.problem)
	case p.made == nil:
		b.Put(style.Muted, "Reading the trades and the requests …")
	default:
		p.drawLines(b)
	}
	b.Blank(b.Room() - 1)
	b.Put(style.Faint, p.keys())
	return cursor
}

func (p *Panel) drawPeriod(b *style.Block) *tea.Cursor {
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

func (p *Panel) drawLines(b *style.Block) {
	if p.lines == nil || p.width != b.Width() {
		p.width, p.lines = b.Width(), p.newLines(b.Width())
	}
	p.scroll = max(min(p.scroll, len(p.lines)-p.room), 0)
	for _, draw := range p.lines[p.scroll:min(p.scroll+p.room, len(p.lines))] {
		draw(b.Line(style.Plain))
	}
}

func (p *Panel) keys() string {
	switch {
	case p.typed.Focused():
		return "↵ takes it · Esc leaves it"
	case p.made == nil:
		return "Esc closes"
	}
	const keys = "←→ p time · Tab by · f year · e file · y copy · Esc closes"
	if below := len(p.lines) - p.scroll - p.room; below > 0 {
		return "j k " + tab.Number(int64(below)) + " more · " + keys
	}
	return keys
}

// Press changes the time or the grouping, scrolls, takes it away or closes.
func (p *Panel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	key := msg.Keystroke()
	if p.typed.Focused() {
		return false, p.typeKey(key, msg)
	}
	switch key {
	case "esc", "q", "S", "shift+s":
		p.leave()
		return true, nil
	case "right", "l", "left", "h", "f", "tab", "shift+tab":
		p.change(key)
		return false, p.make()
	case "p":
		p.typed.SetValue("")
		p.typed.Focus()
	case "e":
		return p.made != nil && p.save != nil, p.ask()
	case "y":
		return false, p.copy()
	default:
		p.scroll = tab.Scrolled(p.scroll, key, p.room, len(p.lines))
	}
	return false, nil
}

func (p *Panel) change(key string) {
	switch key {
	case "right", "l":
		p.period = p.period.beside(1)
	case "left", "h":
		p.period = p.period.beside(-1)
	case "f":
		p.period = p.period.begins()
	default:
		p.by = following(p.by)
	}
}

func (p *Panel) typeKey(key string, msg tea.KeyPressMsg) effect.Effect {
	p.wrong = false
	switch key {
	case "esc":
		p.typed.Blur()
	case "enter":
		next, ok := p.period.parse(p.typed.Value())
		if p.wrong = !ok; ok {
			p.period = next
			p.typed.Blur()
			return p.make()
		}
	default:
		p.typed.Take(msg)
	}
	return nil
}

// Paste types.
func (p *Panel) Paste(msg tea.PasteMsg) effect.Effect {
	return p.typed.Take(msg)
}
