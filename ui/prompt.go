package ui

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// prompt is a line that the person types in a box.
type prompt struct {
	effect.Prompt
	room
	entry   tab.Entry
	problem string
	// offered says that the line is still what was given the last time.
	offered bool
}

func newPrompt(e effect.Prompt) *prompt {
	p := &prompt{Prompt: e, entry: tab.NewEntry(), offered: e.Value != ""}
	p.entry.SetValue(e.Value)
	p.entry.Focus()
	return p
}

// Press types, hands in or closes.
func (p *prompt) Press(msg tea.KeyPressMsg) action {
	switch msg.Keystroke() {
	case "esc":
		return action{done: true}
	case "enter":
		answer, problem := p.Parse(p.entry.Value())
		if p.problem = problem; problem != "" {
			return action{}
		}
		return action{done: true, answer: answer}
	}
	p.take(msg, msg.Text != "")
	return action{}
}

// Paste adds to the line.
func (p *prompt) Paste(msg tea.PasteMsg) effect.Effect {
	return p.take(msg, true)
}

// take edits the line. Text replaces what was offered: who asks again mostly
// wants something else, and an old quantity with a new one behind it is a wrong
// one.
func (p *prompt) take(msg tea.Msg, text bool) effect.Effect {
	if p.offered && text {
		p.entry.SetValue("")
	}
	p.problem, p.offered = "", false
	return p.entry.Take(msg)
}

// Render draws the line with what to type below it.
func (p *prompt) Render(theme *style.Theme) (string, int, int, *tea.Cursor) {
	width := min(p.width-4, 72)
	below := p.below(width)
	height := 2 + len(below)
	block := style.NewBlock(theme, width, height)
	line := block.Line(style.Plain)
	line.Put(style.Accent, "❯ ")
	role := style.Text
	if p.offered {
		role = style.Muted
	}
	cursor := p.entry.DrawAs(role, line, 0)
	if cursor != nil {
		cursor.X, cursor.Y = cursor.X+2, cursor.Y+1
	}
	role = style.Muted
	if p.problem != "" {
		role = style.Warning
	}
	for _, text := range below {
		block.Put(role, text)
	}
	block.Put(style.Faint, "↵ done · Esc cancels")
	return frameBox(theme, p.Title, block.String(), width, height), width + 4, height + 2, cursor
}

// longestProblem is how many lines a problem takes at most.
const longestProblem = 3

func (p *prompt) below(width int) []string {
	if p.problem == "" {
		return []string{p.Hint}
	}
	lines := style.Wrap("✗ "+tab.Typed(p.problem), width)
	return lines[:min(len(lines), longestProblem)]
}
