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
	here := fmt.Sprint(len(participants(h.people)), " at the desk")
	return here + " · times in " + h.o.Now().In(h.o.Location).Format("MST")
}

// participant is a user at the shared desk with one or more terminals.
type participant struct {
	session.Person
	terminals int
}

func participants(sessions []session.Person) []participant {
	var all []participant
	for _, p := range sessions {
		if last := len(all) - 1; last >= 0 && all[last].ID == p.ID {
			all[last].terminals++
			continue
		}
		all = append(all, participant{p, 1})
	}
	return all
}

type participantsPanel struct {
	app    *App
	scroll tab.Scroll
}

func (p *participantsPanel) Title() string {
	return fmt.Sprint(len(participants(p.app.people)), " at the desk")
}

func (p *participantsPanel) Size(width, height int) (w, h int) {
	width = min(width, 60)
	return width, min(height, len(participants(p.app.people))+1+len(p.below(width)))
}

func (p *participantsPanel) Draw(b *style.Block) *tea.Cursor {
	people, below := participants(p.app.people), p.below(b.Width())
	p.scroll.Draw(b, b.Room()-1-len(below), len(people), func(line *style.Line, n int) {
		person := people[n]
		note, since := "", "since "+p.app.view.Moment(model.At(person.Since))
		if p.app.o.Remote != nil && person.ID == p.app.o.Remote.ID {
			note = " you"
		}
		if person.terminals > 1 {
			note += " (" + model.Count(person.terminals, "terminal", "terminals") + ")"
		}
		line.PutLeft(style.Text, tab.Typed(person.Name), line.Room()-style.Width(since)-style.Width(note)-2)
		line.Put(style.Muted, note)
		line.Gap(2)
		line.Put(style.Muted, since)
	})
	for _, text := range below {
		b.Put(style.Muted, text)
	}
	b.Put(style.Faint, "Esc closes")
	return nil
}

func (p *participantsPanel) below(width int) []string {
	if !p.app.view.Fleeting {
		return nil
	}
	return style.Wrap("You have read-only access: what you record is kept for this session only.", max(width, 1))
}

func (p *participantsPanel) Press(msg tea.KeyPressMsg) (done bool, e effect.Effect) {
	switch msg.Keystroke() {
	case "esc", "enter", "q", "@":
		return true, nil
	}
	p.scroll.Press(msg)
	return false, nil
}

func (p *participantsPanel) Paste(tea.PasteMsg) effect.Effect { return nil }

// address is the dialog that shows a link to a remote user.
type address struct{ url, host string }

func (a *address) Title() string { return "Open " + a.host }

func (a *address) Size(width, height int) (w, h int) {
	return min(width, max(style.Width(a.url), 52)), min(height, 3)
}

func (a *address) Draw(b *style.Block) *tea.Cursor {
	line := b.Line(style.Plain)
	line.Link(style.Link, a.url, style.ClipMiddle(a.url, line.Room()))
	b.Put(style.Muted, "Ctrl-click or Cmd-click opens it on your machine.")
	b.Put(style.Faint, "y copies it · Esc closes")
	return nil
}

func (a *address) Press(msg tea.KeyPressMsg) (done bool, e effect.Effect) {
	switch msg.Keystroke() {
	case "y":
		return true, effect.Copy{Text: a.url, What: "the address"}
	case "esc", "enter", "q", "o":
		return true, nil
	}
	return false, nil
}

func (a *address) Paste(tea.PasteMsg) effect.Effect { return nil }
