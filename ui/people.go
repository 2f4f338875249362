package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func (h *header) atTheDesk() string {
	if len(h.people) == 0 {
		return ""
	}
	here := fmt.Sprint(len(present(h.people)), " at the desk")
	if h.view.Fleeting {
		here += " · read-only"
	}
	return here + " · times in " + h.o.Now().In(h.o.Location).Format("MST")
}

type attendant struct {
	session.Person
	terminals int
}

// present are the people of the sessions, which are ordered by name: who came
// first stands for the other terminals of the same name.
func present(sessions []session.Person) []attendant {
	var all []attendant
	for _, p := range sessions {
		if last := len(all) - 1; last >= 0 && all[last].Name == p.Name {
			all[last].terminals++
			continue
		}
		all = append(all, attendant{p, 1})
	}
	return all
}

func (a *App) showPeople() effect.Effect {
	return effect.Show{Panel: &peoplePanel{people: func() []attendant { return present(a.people) }, own: a.o.Who, view: a.view}}
}

type peoplePanel struct {
	people     func() []attendant
	own        string
	view       *tab.View
	from, page int
}

// Title counts them.
func (p *peoplePanel) Title() string { return fmt.Sprint(len(p.people()), " at the desk") }

// Size asks for a line for each.
func (p *peoplePanel) Size(width, height int) (w, h int) {
	return min(width, 60), min(height, len(p.people())+1+len(p.below(min(width, 60))))
}

// Draw draws them, and the keys.
func (p *peoplePanel) Draw(b *style.Block) *tea.Cursor {
	people := p.people()
	below := p.below(b.Width())
	p.page = max(b.Room()-1-len(below), 1)
	p.from = max(min(p.from, len(people)-p.page), 0)
	for _, person := range people[p.from:min(p.from+p.page, len(people))] {
		line := b.Line(style.Plain)
		since := "since " + p.view.Moment(model.At(person.Since))
		beside := person.beside(p.own)
		line.PutLeft(style.Text, tab.Typed(person.Name), line.Room()-style.Width(since)-style.Width(beside)-2)
		line.Put(style.Muted, beside)
		line.Gap(2)
		line.Put(style.Muted, since)
	}
	for _, text := range below {
		b.Put(style.Muted, text)
	}
	b.Put(style.Faint, "Esc closes")
	return nil
}

func (p *peoplePanel) below(width int) []string {
	if !p.view.Fleeting {
		return nil
	}
	return style.Wrap("Your key is read-only: what you record is kept for this session only.", max(width, 1))
}

func (a attendant) beside(own string) string {
	text := ""
	if a.Name == own {
		text = " you"
	}
	if a.terminals > 1 {
		text += " (" + model.Count(a.terminals, "terminal", "terminals") + ")"
	}
	return text
}

// Press walks the list, or closes it.
func (p *peoplePanel) Press(msg tea.KeyPressMsg) (done bool, e effect.Effect) {
	switch msg.Keystroke() {
	case "j", "down":
		p.from++
	case "k", "up":
		p.from--
	case "pgdown", "space":
		p.from += p.page
	case "pgup":
		p.from -= p.page
	case "esc", "enter", "q", "@":
		return true, nil
	}
	return false, nil
}

// Paste does nothing.
func (p *peoplePanel) Paste(tea.PasteMsg) effect.Effect { return nil }

// address offers an address to a terminal at another machine, which opens it
// there.
type address struct{ url, host string }

// Title names the host.
func (a *address) Title() string { return "Open " + a.host }

// Size asks for the address and two lines about it.
func (a *address) Size(width, height int) (w, h int) {
	return min(width, max(style.Width(a.url), 52)), min(height, 3)
}

// Draw draws the address as a link.
func (a *address) Draw(b *style.Block) *tea.Cursor {
	line := b.Line(style.Plain)
	line.Link(style.Link, a.url, style.ClipMiddle(a.url, line.Room()))
	b.Put(style.Muted, "Click it (Ctrl or Cmd and click): it opens on your machine.")
	b.Put(style.Faint, "y copies it · Esc closes")
	return nil
}

// Press copies the address, or closes.
func (a *address) Press(msg tea.KeyPressMsg) (done bool, e effect.Effect) {
	switch msg.Keystroke() {
	case "y":
		return true, effect.Copy{Text: a.url, What: "the address"}
	case "esc", "enter", "q", "o":
		return true, nil
	}
	return false, nil
}

// Paste does nothing.
func (a *address) Paste(tea.PasteMsg) effect.Effect { return nil }
