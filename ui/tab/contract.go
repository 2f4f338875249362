package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/ui/effect"
	"tonne/ui/keymap"
)

// Tab is what the program needs to know of a tab.
type Tab interface {
	// Info is what is drawn around the tab.
	Info() Info
	// Layout places what is shown in width × height cells. It is called after each change and before Render.
	Layout(width, height int)
	// Render returns the cells of the last Layout, and where the text cursor is, if anywhere.
	Render() (string, *tea.Cursor)
	// Groups are the tab's key bindings at present, in the order of the footer.
	Groups() []keymap.Group
	// Input takes a tea.PasteMsg, a Click, a Wheel, and a tea.KeyPressMsg while keys are text.
	Input(msg tea.Msg) effect.Effect
	// Handle takes news: a session.Event, one of the messages below, and what came of work and dialogs.
	Handle(msg any) effect.Effect
	// Expire ends marks of changed values and returns when the next ends, if any is left.
	Expire(now time.Time) (time.Time, bool)
}

// Info is what the program says of a tab.
type Info struct {
	Title string
	// Badge is news of the tab while another one is shown; empty for none.
	Badge string
	// Status is what the footer says: parts with " · " between them, the first of which is never left out.
	Status string
	// Health is the state of what is shown. Of names it if it is one thing that is looked up by itself.
	Health session.Status
	Of     string
	// Typing says that keys are text for the tab.
	Typing bool
	// Close closes what is open below the tab's table; nil while nothing is.
	Close func() effect.Effect
}

// Click is the left button of the mouse on a cell of the tab.
type Click struct{ X, Y int }

// Wheel is the wheel of the mouse over a cell of the tab, as lines down.
type Wheel struct{ X, Y, Lines int }

// Started comes once, before anything is shown.
type Started struct{}

// Shown says that the tab is shown from now on, Hidden that it is not, UnitChanged that quantities are
// written in another unit. What the last two return is not carried out.
type (
	Shown       struct{}
	Hidden      struct{}
	UnitChanged struct{}
)
