package ui

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type prompt struct {
	effect.Prompt
	entry   tab.Entry
	problem string
}

func newPrompt(e effect.Prompt) *prompt {
	p := &prompt{Prompt: e, entry: tab.NewEntry()}
	p.entry.Offer(e.Value)
	p.entry.Focus()
	return p
}

func (p *prompt) Title() string { return p.Prompt.Title }

func (p *prompt) Size(width, _ int) (w, h int) {
	width = min(width, 72)
	return width, 2 + len(p.below(width))
}

func (p *prompt) Press(msg tea.KeyPressMsg) (done bool, e effect.Effect) {
	switch msg.Keystroke() {
	case "esc":
		return true, nil
	case "enter":
		answer, problem := p.Parse(p.entry.Value())
		if p.problem = problem; problem != "" {
			return false, nil
		}
		return true, effect.Answer{Value: answer}
	}
	p.problem = ""
	p.entry.Take(msg)
	return false, nil
}

func (p *prompt) Paste(msg tea.PasteMsg) effect.Effect {
	p.problem = ""
	return p.entry.Take(msg)
}

func (p *prompt) Draw(block *style.Block) *tea.Cursor {
	line := block.Line(style.Plain)
	line.Put(style.Accent, "❯ ")
	cursor := p.entry.Draw(line, 0)
	role := style.Muted
	if p.problem != "" {
		role = style.Warning
	}
	for _, text := range p.below(block.Width()) {
		block.Put(role, text)
	}
	block.Put(style.Faint, "↵ done · Esc cancels")
	return cursor
}

func (p *prompt) below(width int) []string {
	if p.problem == "" {
		return []string{p.Hint}
	}
	return tab.WrapProblem(p.problem, width)
}
