package tab

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/table"
)

// ChooseColumns opens a panel to turn columns on and off. If changed is not nil, it is called after each change.
func ChooseColumns[K comparable, R any](t *table.Table[K, R], changed func()) effect.Effect {
	return effect.Show{Panel: &columnPanel[K, R]{table: t, changed: changed}}
}

type columnPanel[K comparable, R any] struct {
	table   *table.Table[K, R]
	changed func()
	cursor  int
}

func (p *columnPanel[K, R]) columns() []table.Column[R] {
	return slices.DeleteFunc(p.table.Columns(), func(c table.Column[R]) bool { return c.Auto || c.Title == "" })
}

func (p *columnPanel[K, R]) Title() string { return "Columns" }

func (p *columnPanel[K, R]) Size(width, height int) (w, h int) {
	return min(width, 92), max(min(height-1, len(p.columns())), 1) + 1
}

func (p *columnPanel[K, R]) Press(msg tea.KeyPressMsg) (done bool, e effect.Effect) {
	columns := p.columns()
	switch msg.Keystroke() {
	case "esc", "q", "enter":
		return true, nil
	case "up", "k":
		p.cursor = max(p.cursor-1, 0)
	case "down", "j":
		p.cursor = min(p.cursor+1, len(columns)-1)
	default:
		p.change(msg, columns[p.cursor])
	}
	return false, nil
}

func (p *columnPanel[K, R]) change(msg tea.KeyPressMsg, c table.Column[R]) {
	switch msg.String() {
	case "space", "x":
		p.table.Show(c.Key, c.Hidden)
	case "J", "shift+down":
		p.table.MoveColumn(c.Key, 1)
	case "K", "shift+up":
		p.table.MoveColumn(c.Key, -1)
	case "+", "l", "right":
		p.table.Widen(c.Key, 2)
	case "-", "h", "left":
		p.table.Widen(c.Key, -2)
	case "0":
		p.table.SetWidth(c.Key, 0)
	}
	p.cursor = slices.IndexFunc(p.columns(), func(other table.Column[R]) bool { return other.Key == c.Key })
	if p.changed != nil {
		p.changed()
	}
}

func (p *columnPanel[K, R]) Paste(tea.PasteMsg) effect.Effect { return nil }

// Draw draws the part of the list around the cursor that fits.
func (p *columnPanel[K, R]) Draw(block *style.Block) *tea.Cursor {
	columns, rows := p.columns(), max(block.Room()-1, 1)
	first := max(min(p.cursor-rows/2, len(columns)-rows), 0)
	for i := first; i < min(first+rows, len(columns)); i++ {
		state := style.Plain
		if i == p.cursor {
			state = style.Selected
		}
		p.drawColumn(block.Line(state), columns[i])
	}
	block.Put(style.Faint, "Space on or off · J K move · + − width, 0 usual · Esc closes")
	return nil
}

func (p *columnPanel[K, R]) drawColumn(line *style.Line, c table.Column[R]) {
	role, mark, missing := style.Accent, "✓ ", p.table.Missing(c.Key)
	if c.Hidden {
		mark = "  "
	}
	if missing != "" {
		role = style.Faint
	}
	line.Put(role, mark)
	line.PutLeft(style.Text, c.Title, 14)
	if missing != "" {
		line.Put(style.Warning, missing+" · ")
	}
	line.Put(style.Muted, c.Help)
}
