package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/feed"
	"tonne/ui/keymap"
)

// Tab is what the program needs to know of a tab.
type Tab interface {
	Title() string
	// Badge is news of the tab while another one is shown; empty for none.
	Badge() string
	// Groups are the tab's key bindings, in the order of the footer.
	Groups() []keymap.Group
	// Typing reports whether keys are text for the tab; Type takes them.
	Typing() bool
	Type(msg tea.Msg) tea.Cmd
	// Paste takes text that was pasted while the tab was not typing.
	Paste(text string) tea.Cmd
	// Enter and Leave tell the tab that it is shown, and no longer.
	Enter() tea.Cmd
	Leave()
	// Receive takes news from the feed.
	Receive(e feed.Event) tea.Cmd
	// Expire ends marks of changed values and returns when the next ends.
	Expire(now time.Time) (time.Time, bool)
	// Remeasure is called when quantities are written in another unit.
	Remeasure()
	// Health is the state of what the tab shows.
	Health() feed.Status
	// Status is what the footer says about the tab.
	Status() string
	// Render returns exactly width × height cells, and where the text cursor
	// stands in them, if anywhere.
	Render(width, height int) (string, *tea.Cursor)
	// Click and Wheel take the mouse, in cells of the last Render.
	Click(x, y int) tea.Cmd
	Wheel(x, y, lines int)
}
