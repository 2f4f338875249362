package importer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// ShowLeft lists lines in which there is no id, as they stood there.
func ShowLeft(lines []string) effect.Effect { return effect.Show{Panel: &leftPanel{lines: lines}} }

// leftPanel lists what was left out of an import.
type leftPanel struct {
	lines        []string
	scroll, page int
}

// Title says what is listed.
func (p *leftPanel) Title() string { return "Left out: no id could be read" }

// Size asks for a line each.
func (p *leftPanel) Size(width, height int) (w, h int) {
	return min(width, 76), min(height, max(len(p.lines), 2)+2)
}

// Draw quotes the lines and names the keys.
func (p *leftPanel) Draw(b *style.Block) *tea.Cursor {
	room := max(b.Room()-2, 0)
	p.page = room
	p.scroll = max(min(p.scroll, len(p.lines)-room), 0)
	for _, text := range p.lines[p.scroll:min(p.scroll+room, len(p.lines))] {
		drawLeft(b.Line(style.Plain), text)
	}
	b.Blank(b.Room() - 1)
	keys := "y copies them · Esc closes"
	if below := tab.Below(len(p.lines) - p.scroll - room); below != "" {
		keys = "j k scroll" + " · " + keys
	}
	b.Put(style.Faint, keys)
	return nil
}

// Press scrolls, copies or closes.
func (p *leftPanel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch msg.Keystroke() {
	case "esc", "q", "enter":
		return true, nil
	case "y":
		return false, effect.Copy{Text: strings.Join(p.lines, "\n"), What: model.Count(len(p.lines), "line", "lines")}
	default:
		p.scroll = tab.Scrolled(p.scroll, msg.Keystroke(), p.page, len(p.lines))
	}
	return false, nil
}

// Paste takes nothing.
func (p *leftPanel) Paste(tea.PasteMsg) effect.Effect { return nil }
