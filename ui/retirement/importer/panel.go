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

// panel shows ids before they are looked up, and lets the person choose
// the column that they stand in.
type panel struct {
	// state returns what is known of a request, and false if it is not in the
	// ledger.
	state func(id string) (string, bool)
	// room is that of the importer.
	room   func() int
	from   string
	sheet  sheet
	column int

	// ids are those of the column; again were there before, known stand in the
	// ledger, beyond are more than are taken. left are the lines that hold no id.
	ids, left            []string
	again, known, beyond int
	scroll, page         int
}

func (p *panel) count() {
	var refused []string
	p.ids, p.again, refused = p.sheet.ids(p.column)
	p.left = slices.Concat(p.sheet.left, refused)
	p.known, p.beyond, p.scroll = 0, 0, 0
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

// Title names where the ids come from.
func (p *panel) Title() string { return "Import from " + p.from }

// Size asks for a line an id, and one for each line that holds none.
func (p *panel) Size(width, height int) (w, h int) {
	return min(width, 68), min(height, max(p.length(), 3)+p.above()+3)
}

func (p *panel) length() int {
	if len(p.left) == 0 {
		return len(p.ids)
	}
	return len(p.ids) + 1 + len(p.left)
}

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
	p.page = room
	p.scroll = max(min(p.scroll, p.length()-room), 0)
	if len(p.ids) == 0 {
		b.Put(style.Warning, "There is no id in this column.")
		room--
	}
	for n := p.scroll; n < min(p.scroll+room, p.length()); n++ {
		p.drawListed(b.Line(style.Plain), n)
	}
	b.Blank(b.Room() - 2)
	b.Put(style.Text, p.summary())
	keys := "Esc cancels"
	if p.sheet.columns() > 1 {
		keys = "←→ another column · " + keys
	}
	if len(p.ids) > 0 {
		keys = p.enters() + " · " + keys
	}
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
		drawLeft(line, p.left[n-len(p.ids)-1])
	default:
		id := p.ids[n]
		line.PutLeft(style.Text, id, max(min(line.Room()-32, 40), 0))
		line.Gap(2)
		if state, there := p.state(id); there {
			line.Put(style.Muted, "in the ledger: "+state)
		}
	}
}

func drawLeft(line *style.Line, text string) {
	line.Put(style.Warning, "✗ ")
	line.Put(style.Text, `"`+style.Clip(tab.Typed(text), max(line.Room()-2, 0))+`"`)
}

func (p *panel) drawColumn(l *style.Line) {
	l.Put(style.Muted, "column ")
	l.Put(style.Key, "◂ ")
	title := cmp.Or(p.sheet.title(p.column), "without a name")
	l.Put(style.Name, style.Clip(title, max(l.Room()-12, 0)))
	l.Put(style.Key, " ▸")
	l.Put(style.Faint, fmt.Sprintf("  %d of %d", p.column+1, p.sheet.columns()))
}

func (p *panel) summary() string {
	parts := []string{model.Count(len(p.ids), "id", "ids")}
	if p.beyond > 0 {
		parts[0] = tab.Number(mostShared) + " of " + model.Count(mostShared+p.beyond, "id", "ids") + ", all that a shared desk takes at once"
	}
	if len(p.left) > 0 {
		parts[0] += ", " + model.Count(len(p.left), "line", "lines") + " left out"
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
		return true, effect.Answer{Value: Found{IDs: p.ids, Left: p.left, Told: true}}
	case "right", "l", "tab":
		p.column = (p.column + 1) % columns
		p.count()
	case "left", "h", "shift+tab":
		p.column = (p.column + columns - 1) % columns
		p.count()
	default:
		p.scroll = tab.Scrolled(p.scroll, msg.Keystroke(), p.page, p.length())
	}
	return false, nil
}

// Paste takes nothing.
func (p *panel) Paste(tea.PasteMsg) effect.Effect { return nil }
