package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/feed"
	"tonne/ui/effect"
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
	Type(msg tea.Msg) effect.Effect
	// Paste takes text that was pasted while the tab was not typing.
	Paste(text string) effect.Effect
	// Start is called once, before anything is shown.
	Start() effect.Effect
	// Enter and Leave tell the tab that it is shown, and no longer.
	Enter() effect.Effect
	Leave()
	// Handle takes what came of work that the tab asked for, and what was
	// answered to its prompts and checklists.
	Handle(result any) effect.Effect
	// Receive takes news from the feed.
	Receive(e feed.Event) effect.Effect
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
	Click(x, y int) effect.Effect
	Wheel(x, y, lines int)
}
