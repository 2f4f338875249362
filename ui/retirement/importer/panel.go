package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type panel struct {
	*Importer
	from  string
	sheet sheet
	// ids are those of the column; again were there before, known stand in the
	// ledger, beyond are more than are taken. left are the lines that hold no id.
	ids, left            []string
	again, known, beyond int
	scroll               tab.Scroll
}

func (p *panel) count() {
	p.ids, p.again, p.left = p.sheet.ids()
	p.known, p.beyond, p.scroll = 0, 0, tab.Scroll{}
	if p.room != nil && len(p.ids) > mostShared {
		p.beyond = len(p.ids) - mostShared
		p.ids = slices.Clone(p.ids[:mostShared])
	}
	for _, id := range p.ids {
		if _, there := p.state(id); there {
			p.known++
		}
	}
}

func (p *panel) Title() string { return "Import from " + p.from }

func (p *panel) Size(width, height int) (w, h int) {
	lines := max(p.length(), 3) + 3
	if p.sheet.columns() > 1 {
		lines += 2
	}
	return min(width, 68), min(height, lines)
}

func (p *panel) length() int {
	if len(p.left) == 0 {
		return len(p.ids)
	}
	return len(p.ids) + 1 + len(p.left)
}

func (p *panel) Draw(b *style.Block) *tea.Cursor {
	keys := "Esc cancels"
	if p.sheet.columns() > 1 {
		keys = "←→ another column · " + keys
		p.drawColumn(b.Line(style.Plain))
		b.Blank(1)
	}
	room := b.Room() - 3
	if len(p.ids) > 0 {
		keys = p.enters() + " · " + keys
	} else {
		b.Put(style.Warning, "There is no id in this column.")
		room--
	}
	p.scroll.Draw(b, room, p.length(), p.drawListed)
	b.Blank(b.Room() - 2)
	b.Put(style.Text, p.summary())
	b.Put(style.Faint, keys)
	return nil
}

func (p *panel) enters() string {
	if p.room == nil || len(p.ids)-p.known <= p.room() {
		return "↵ looks them up"
	}
	some := "none"
	if room := p.room(); room > 0 {
		some = tab.Number(int64(room))
	}
	return "↵ enters " + some + ": the ledger takes no more"
}

func (p *panel) drawListed(line *style.Line, n int) {
	switch {
	case n == len(p.ids):
		line.Put(style.Muted, "left out, no id there:")
	case n > len(p.ids):
		line.Put(style.Warning, "✗ ")
		line.Put(style.Text, Quote(p.left[n-len(p.ids)-1], line.Room()-2))
	default:
		id := p.ids[n]
		line.PutLeft(style.Text, id, max(min(line.Room()-32, 40), 0))
		line.Gap(2)
		if state, there := p.state(id); there {
			line.Put(style.Muted, "in the ledger: "+state)
		}
	}
}

func (p *panel) drawColumn(l *style.Line) {
	l.Put(style.Muted, "column ")
	l.Put(style.Key, "◂ ")
	title := cmp.Or(cell(p.sheet.titles, p.sheet.column), "without a name")
	l.Put(style.Name, style.Clip(title, max(l.Room()-12, 0)))
	l.Put(style.Key, " ▸")
	l.Put(style.Faint, fmt.Sprintf("  %d of %d", p.sheet.column+1, p.sheet.columns()))
}

func (p *panel) summary() string {
	parts := []string{model.Count(len(p.ids), "id", "ids")}
	if p.beyond > 0 {
		parts[0] = tab.Number(mostShared) + " of " + model.Count(mostShared+p.beyond, "id", "ids") + ", all that a shared desk takes at once"
	}
	if len(p.left) > 0 {
		parts[0] += ", " + model.Count(len(p.left), "line", "lines") + " left out"
	}
	if p.known > 0 {
		parts = append(parts, tab.Number(int64(p.known))+" in the ledger already")
	}
	if p.again > 0 {
		parts = append(parts, tab.Number(int64(p.again))+" there twice")
	}
	return strings.Join(parts, " · ")
}

func (p *panel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	columns := p.sheet.columns()
	switch msg.Keystroke() {
	case "esc", "q":
		return true, nil
	case "enter":
		if len(p.ids) == 0 {
			return false, nil
		}
		return true, effect.Answer{Value: Found{IDs: p.ids, Left: p.left, Told: true}}
	case "right", "l", "tab":
		p.sheet.column = (p.sheet.column + 1) % columns
		p.count()
	case "left", "h", "shift+tab":
		p.sheet.column = (p.sheet.column + columns - 1) % columns
		p.count()
	default:
		p.scroll.Press(msg)
	}
	return false, nil
}

func (p *panel) Paste(tea.PasteMsg) effect.Effect { return nil }
