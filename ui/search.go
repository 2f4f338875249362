package ui

import (
	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/keymap"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// search is the line in the footer that moves the cursor to matching rows, and the text that was searched last.
type search struct {
	entry tab.Entry
	text  string
}

// searching is the dashboard with that line.
type searching struct{ *App }

// keys search the list of the active tab without hiding rows.
func (a searching) keys() []keymap.Binding {
	none := tab.Unless(func() bool { return a.search.text != "" }, `Nothing was searched for yet. \ searches.`)
	next := func(step int) func() effect.Effect { return func() effect.Effect { return a.seek(step) } }
	return []keymap.Binding{
		{Name: "desk.search", Keys: []string{`\`}, Help: "search: go to a row without hiding the others",
			Do: effect.Do(func() {
				a.search.entry.Offer(a.search.text)
				a.search.entry.Focus()
			})},
		{Name: "desk.match", Keys: []string{";"}, Help: "next match of the search", Why: none, Do: next(1)},
		{Name: "desk.lastmatch", Keys: []string{","}, Help: "previous match of the search", Why: none, Do: next(-1)},
	}
}

func (a searching) seek(step int) effect.Effect {
	moved, found := a.tabs[a.active].Seek(a.search.text, step)
	if !found {
		return effect.Say("No shown row matches " + tab.Typed(a.search.text) + ".")
	}
	return moved
}

// press moves to the first match while the user types. ↵ and Esc leave the line.
func (a searching) press(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.Keystroke() {
	case "enter", "esc":
		a.search.entry.Blur()
		return nil
	case "down":
		return a.run(current, a.seek(1))
	case "up":
		return a.run(current, a.seek(-1))
	}
	return a.edit(msg)
}

func (a searching) edit(msg tea.Msg) tea.Cmd {
	told := a.search.entry.Take(msg)
	a.toast = toast{}
	if a.search.text = a.search.entry.Value(); a.search.text == "" {
		return a.run(current, told)
	}
	return a.run(current, effect.Batch(told, a.seek(0)))
}

// draw draws the line instead of the status, and returns the text cursor.
func (a searching) draw(line *style.Line, width int) (cursor *tea.Cursor) {
	line.Field(width, func() {
		line.Put(style.Key, `\ `)
		a.search.entry.Hint = "words or conditions · ↵ stays · ↓ ↑ other matches"
		cursor = a.search.entry.Draw(line, 0)
	})
	return cursor
}
