package ui

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

type checklist struct {
	effect.Checklist
	cursor int
}

func (c *checklist) Title() string { return c.Checklist.Title }

func (c *checklist) Size(width, height int) (w, h int) {
	return min(width, 92), max(min(height-1, len(c.Choices)), 1) + 1
}

func (c *checklist) Press(msg tea.KeyPressMsg) (done bool, e effect.Effect) {
	switch msg.Keystroke() {
	case "esc", "q", "enter":
		return true, nil
	case "up", "k":
		c.cursor = max(c.cursor-1, 0)
	case "down", "j":
		c.cursor = max(min(c.cursor+1, len(c.Choices)-1), 0)
	case "space", "x":
		if c.cursor < len(c.Choices) {
			choice := &c.Choices[c.cursor]
			choice.On = !choice.On
			return false, effect.Answer{Value: effect.Toggled{Key: choice.Key, On: choice.On}}
		}
	}
	return false, nil
}

func (c *checklist) Paste(tea.PasteMsg) effect.Effect { return nil }

func drawChoice(line *style.Line, choice effect.Choice) {
	role, mark, missing := style.Accent, "  ", ""
	if choice.On {
		mark = "✓ "
		if choice.Missing != nil {
			missing = choice.Missing()
		}
	}
	if missing != "" {
		role = style.Faint
	}
	line.Put(role, mark)
	line.PutLeft(style.Text, choice.Label, 14)
	if missing != "" {
		line.Put(style.Warning, missing+" · ")
	}
	line.Put(style.Muted, choice.Help)
}

func (c *checklist) Draw(block *style.Block) *tea.Cursor {
	rows := max(block.Room()-1, 1)
	first := max(min(c.cursor-rows/2, len(c.Choices)-rows), 0)
	for i := first; i < min(first+rows, len(c.Choices)); i++ {
		state := style.Plain
		if i == c.cursor {
			state = style.Selected
		}
		drawChoice(block.Line(state), c.Choices[i])
	}
	block.Put(style.Faint, "Space turns on or off · Esc closes")
	return nil
}
