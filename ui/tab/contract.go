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
	// Layout places what is shown in width × height cells. The program calls it
	// after all that may have changed something, and before Render.
	Layout(width, height int)
	// Render returns exactly the cells of the last Layout, and where the text
	// cursor stands in them, if anywhere.
	Render() (string, *tea.Cursor)
	// Groups are the tab's key bindings as things stand, in the order of the
	// footer.
	Groups() []keymap.Group
	// Input takes what a person does beside the bindings: a tea.PasteMsg, a
	// Click, a Wheel, and a tea.KeyPressMsg while keys are text.
	Input(msg tea.Msg) effect.Effect
	// Handle takes news: a session.Event, Started, Shown, Hidden, UnitChanged,
	// what came of work that the tab asked for, and what was answered to its
	// prompts.
	Handle(msg any) effect.Effect
	// Expire ends marks of changed values and returns when the next ends;
	// false if none is left.
	Expire(now time.Time) (time.Time, bool)
}

// Info is what the program says of a tab.
type Info struct {
	Title string
	// Badge is news of the tab while another one is shown; empty for none.
	Badge string
	// Status is what the footer says about the tab: parts with " · " between
	// them, of which the first is worth the most and is never left out.
	Status string
	// Health is the state of what the tab shows. If that is one thing which is
	// looked up by itself, Of names it.
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

// Shown says that the tab is shown from now on, Hidden that it is no longer,
// and UnitChanged that quantities are written in another unit. The last two
// ask for nothing: what they return is not carried out.
type (
	Shown       struct{}
	Hidden      struct{}
	UnitChanged struct{}
)
