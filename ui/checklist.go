package ui

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// checklist is a list of things that are on or off.
type checklist struct {
	effect.Checklist
	room
	cursor int
}

// Press walks, turns on or off, or closes.
func (c *checklist) Press(msg tea.KeyPressMsg) action {
	switch msg.Keystroke() {
	case "esc", "q", "enter":
		return action{done: true}
	case "up", "k":
		c.cursor = max(c.cursor-1, 0)
	case "down", "j":
		c.cursor = max(min(c.cursor+1, len(c.Choices)-1), 0)
	case "space", "x":
		if c.cursor >= len(c.Choices) {
			return action{}
		}
		choice := &c.Choices[c.cursor]
		choice.On = !choice.On
		return action{answer: effect.Toggled{Key: choice.Key, On: choice.On}}
	}
	return action{}
}

// Paste takes nothing.
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

// Render draws as much of the list as fits about the cursor.
func (c *checklist) Render(theme *style.Theme) (string, int, int, *tea.Cursor) {
	width := min(c.width-4, 92)
	rows := max(min(c.height-3, len(c.Choices)), 1)
	first := max(min(c.cursor-rows/2, len(c.Choices)-rows), 0)
	block := style.NewBlock(theme, width, rows+1)
	for i := first; i < min(first+rows, len(c.Choices)); i++ {
		state := style.Plain
		if i == c.cursor {
			state = style.Selected
		}
		drawChoice(block.Line(state), c.Choices[i])
	}
	block.Put(style.Faint, "Space turns on or off · Esc closes")
	return frameBox(theme, c.Title, block.String(), width, rows+1), width + 4, rows + 3, nil
}
