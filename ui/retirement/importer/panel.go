package importer

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type panel struct {
	*Importer
	list
	from string
	// compare compares the records of the file with the ledger, nil if it has only ids.
	compare func() effect.Effect
	// known is the number of ids in the ledger, beyond the number of ids over the limit.
	known, beyond int
	scroll        tab.Scroll
}

func (p *panel) Title() string { return "Import from " + p.from }

func (p *panel) Size(width, height int) (w, h int) {
	wide := 68
	if p.compare != nil {
		wide = 76
	}
	return min(width, wide), min(height, max(p.length(), 3)+3)
}

func (p *panel) length() int {
	if len(p.left) == 0 {
		return len(p.ids)
	}
	return len(p.ids) + 1 + len(p.left)
}

func (p *panel) Draw(b *style.Block) *tea.Cursor {
	keys := p.enters()
	if p.compare != nil {
		keys += " · c compares"
	}
	keys += " · Esc cancels"
	if len(p.left) > 0 {
		keys += " · y copies the skipped lines"
	}
	p.scroll.Draw(b, b.Room()-3, p.length(), p.drawListed)
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
	return "↵ adds " + some + ": the ledger is full"
}

func (p *panel) drawListed(line *style.Line, n int) {
	switch {
	case n == len(p.ids):
		line.Put(style.Muted, "skipped, no id found:")
	case n > len(p.ids):
		line.Put(style.Warning, "✗ ")
		line.Put(style.Text, quote(p.left[n-len(p.ids)-1], line.Room()-2))
	default:
		id := p.ids[n]
		line.PutLeft(style.Text, id, max(min(line.Room()-32, 40), 0))
		line.Gap(2)
		if state, there := p.state(id); there {
			line.Put(style.Muted, "in the ledger: "+state)
		}
	}
}

func (p *panel) summary() string {
	parts := []string{model.Count(len(p.ids), "id", "ids")}
	if p.beyond > 0 {
		parts[0] = tab.Number(mostShared) + " of " + model.Count(mostShared+p.beyond, "id", "ids") +
			", the limit of a shared desk"
	}
	if len(p.left) > 0 {
		parts[0] += ", " + model.Count(len(p.left), "line", "lines") + " skipped"
	}
	if p.known > 0 {
		parts = append(parts, tab.Number(int64(p.known))+" already in the ledger")
	}
	if p.again > 0 {
		parts = append(parts, tab.Number(int64(p.again))+" repeated")
	}
	return strings.Join(parts, " · ")
}

func (p *panel) Press(msg tea.KeyPressMsg) (bool, effect.Effect) {
	switch msg.Keystroke() {
	case "esc", "q":
		return true, nil
	case "enter":
		return true, effect.Answer{Value: Found(p.ids)}
	case "c":
		if p.compare != nil {
			return true, p.compare()
		}
	case "y":
		if len(p.left) > 0 {
			return false, effect.Copy{Text: strings.Join(p.left, "\n"), What: model.Count(len(p.left), "line", "lines")}
		}
	}
	p.scroll.Press(msg)
	return false, nil
}

func (p *panel) Paste(tea.PasteMsg) effect.Effect { return nil }
