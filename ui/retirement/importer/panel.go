package importer

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// panel shows ids before they are looked up, and lets the person choose
// the column that they stand in.
type panel struct {
	// state returns what is known of a request, and false if it is not in the
	// ledger.
	state  func(id string) (string, bool)
	from   string
	sheet  sheet
	column int

	// ids are those of the column; again were there before, known stand in the
	// ledger. without counts the lines that hold no id.
	ids                   []string
	again, without, known int
	scroll                int
}

// count finds the ids of the column.
func (p *panel) count() {
	p.ids, p.again, p.without = p.sheet.ids(p.column)
	p.without += p.sheet.without
	p.known, p.scroll = 0, 0
	for _, id := range p.ids {
		if _, there := p.state(id); there {
			p.known++
		}
	}
}

// Title names where the ids come from.
func (p *panel) Title() string { return "Import from " + p.from }

// Size asks for a line an id.
func (p *panel) Size(width, height int) (w, h int) {
	return min(width, 68), min(height, max(len(p.ids), 3)+p.above()+3)
}

// above is how many lines stand above the ids.
func (p *panel) above() int {
	if p.sheet.columns() > 1 {
		return 2
	}
	return 0
}

// Draw lists the ids, what is to be said about them, and the keys.
func (p *panel) Draw(b *style.Block) *tea.Cursor {
	if p.above() > 0 {
		p.drawColumn(b.Line(style.Plain))
		b.Blank(1)
	}
	room := max(b.Room()-3, 0)
	p.scroll = max(min(p.scroll, len(p.ids)-room), 0)
	if len(p.ids) == 0 {
		b.Put(style.Warning, "There is no id in this column.")
		room--
	}
	for _, id := range p.ids[p.scroll:min(p.scroll+room, len(p.ids))] {
		line := b.Line(style.Plain)
		line.PutLeft(style.Text, id, max(min(line.Room()-32, 40), 0))
		line.Gap(2)
		if state, there := p.state(id); there {
			line.Put(style.Muted, "in the ledger: "+state)
		}
	}
	b.Blank(b.Room() - 2)
	b.Put(style.Text, p.summary())
	keys := "Esc cancels"
	if p.sheet.columns() > 1 {
		keys = "←→ another column · " + keys
	}
	if len(p.ids) > 0 {
		keys = "↵ looks them up · " + keys
	}
	b.Put(style.Faint, keys)
	return nil
}

func (p *panel) drawColumn(l *style.Line) {
	l.Put(style.Muted, "column ")
	l.Put(style.Key, "◂ ")
	title := p.sheet.title(p.column)
	if title == "" {
		title = "without a name"
	}
	l.Put(style.Name, style.Clip(title, max(l.Room()-12, 0)))
	l.Put(style.Key, " ▸")
	l.Put(style.Faint, fmt.Sprintf("  %d of %d", p.column+1, p.sheet.columns()))
}

func (p *panel) summary() string {
	parts := []string{tab.Count(len(p.ids), "id", "ids")}
	if p.without > 0 {
		parts[0] += ", " + LeftOut(p.without)
	}
	for _, part := range [...]struct {
		n    int
		text string
	}{{p.known, "in the ledger already"}, {p.again, "there twice"}} {
		if part.n > 0 {
			parts = append(parts, tab.Number(int64(part.n))+" "+part.text)
		}
	}
	return strings.Join(parts, " · ")
}

// Press chooses another column, scrolls, takes the ids or leaves them.
func (p *panel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	columns := p.sheet.columns()
	switch msg.Keystroke() {
	case "esc", "q":
		return true, nil
	case "enter":
		if len(p.ids) == 0 {
			return false, nil
		}
		return true, effect.Tell(Found{IDs: p.ids})
	case "right", "l", "tab":
		p.column = (p.column + 1) % columns
		p.count()
	case "left", "h", "shift+tab":
		p.column = (p.column + columns - 1) % columns
		p.count()
	case "down", "j":
		p.scroll++
	case "up", "k":
		p.scroll--
	case "pgdown":
		p.scroll += 10
	case "pgup":
		p.scroll -= 10
	}
	return false, nil
}

// Paste takes nothing.
func (p *panel) Paste(tea.PasteMsg) effect.Effect { return nil }
