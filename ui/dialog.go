package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
)

// dialog is the panel over the tab. It gets all keys. The zero value is no dialog.
type dialog struct {
	effect.Panel
	// under is the dialog that is shown again when this one closes, or nil.
	under *dialog
	// tab is the index of the tab that opened the panel, or current.
	tab           int
	width, height int
}

func (d *dialog) shown() bool { return d.Panel != nil }

func (d *dialog) below() dialog {
	if d.under == nil {
		return dialog{}
	}
	return *d.under
}

// open shows a panel over the tab and over the dialog that is open.
func (a *App) open(p effect.Panel, tab int) {
	next := dialog{Panel: p, tab: tab}
	if below := a.dialog; below.shown() {
		next.under = &below
	}
	a.dialog = next
}

func (d *dialog) layout(width, height int) {
	if !d.shown() {
		return
	}
	width, height = max(width-4, 0), max(height-2, 0)
	w, h := d.Size(width, height)
	d.width, d.height = min(w, width), min(h, height)
}

func (a *App) pressDialog(msg tea.KeyPressMsg, closes bool) tea.Cmd {
	tab := a.dialog.tab
	done, e := a.dialog.Press(msg)
	if done || closes {
		a.dialog = a.dialog.below()
	}
	return a.run(tab, e)
}

func (d *dialog) drawOver(body string, theme *style.Theme, width, height int) (string, *tea.Cursor) {
	block := style.NewBlock(theme, d.width, d.height)
	cursor := d.Draw(block)
	box := frameBox(theme, d.Title(), block.String(), d.width, d.height)
	x, y := (width-d.width-4)/2, (height-d.height-2)/2
	if cursor != nil {
		cursor.X, cursor.Y = cursor.X+x+2, cursor.Y+y+1
	}
	lines := strings.Split(body, "\n")
	for i, row := range strings.Split(box, "\n") {
		if at := y + i; at < len(lines) {
			lines[at] = style.Overlay(lines[at], row, x, d.width+4)
		}
	}
	return strings.Join(lines, "\n"), cursor
}

func frameBox(theme *style.Theme, title, inner string, width, height int) string {
	block := style.NewBlock(theme, width+4, 1)
	top := block.Line(style.Plain)
	top.Put(style.Border, "╭─ ")
	top.Put(style.Heading, style.Clip(title, width-2))
	top.Gap(1)
	top.Repeat(style.Border, "─", top.Room()-1)
	top.Put(style.Border, "╮")
	left, right := style.NewBlock(theme, 2, height), style.NewBlock(theme, 2, height)
	for range height {
		left.Put(style.Border, "│ ")
		right.Put(style.Border, " │")
	}
	bottom := style.NewBlock(theme, width+4, 1)
	bottom.Put(style.Border, "╰"+strings.Repeat("─", width+2)+"╯")
	return style.Stack(block.String(), style.Beside(left.String(), inner, right.String()), bottom.String())
}
