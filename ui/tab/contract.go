package tab

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/session"
	"tonne/ui/effect"
	"tonne/ui/keymap"
)

// Tab is the interface between the program and a tab.
type Tab interface {
	// Info returns the texts for the header and footer.
	Info() Info
	// Layout computes the layout for width × height cells. It is called after each change and before Render.
	Layout(width, height int)
	// Render returns the cells of the last Layout, and the text cursor or nil.
	Render() (string, *tea.Cursor)
	// Groups returns the current key bindings of the tab, in the order of the footer.
	Groups() []keymap.Group
	// SaveView returns the columns, sort and filter of the list, and RestoreView restores them.
	SaveView() SavedView
	RestoreView(v SavedView) effect.Effect
	// Shell returns the command that prints what is on the screen.
	Shell() Shell
	// Seek moves the cursor of the list as Seek of a table does.
	Seek(typed string, step int) (e effect.Effect, found bool)
	// List returns the columns of the list, and examples of filters.
	List() List
	// Palette returns the entries of the palette for a typed text: what the list has of that name, and own commands.
	Palette(typed string) []keymap.Binding
	// Input handles a tea.PasteMsg, a Click, a Wheel and, while Info().Typing is set, a tea.KeyPressMsg.
	Input(msg tea.Msg) effect.Effect
	// Handle processes a session.Event, one of the messages below, or a result of work or a dialog.
	Handle(msg any) effect.Effect
	// Expire removes expired marks of changed values and returns the next time of expiry, if any.
	Expire(now time.Time) (time.Time, bool)
}

// Info has the texts of a tab for the header and footer.
type Info struct {
	Title string
	// Badge counts unseen events while another tab is shown. It may be empty.
	Badge string
	// Status is the footer. Its first part is never dropped.
	Status Parts
	// Health is the state of the data on the screen. Of names the data if it is a single item.
	Health session.Status
	Of     string
	// Typing reports that keys are text for the tab.
	Typing bool
	// Close closes the panel below the table. It is nil if none is open.
	Close func() effect.Effect
}

// Click is a click of the left mouse button on a cell of the tab.
type Click struct{ X, Y int }

// Wheel is a turn of the mouse wheel over a cell of the tab, in lines downwards.
type Wheel struct{ X, Y, Lines int }

// Started is sent once, before the first frame.
type Started struct{}

// Shown and Hidden are sent when the tab appears or disappears, and UnitChanged when the unit of quantities
// changes. Effects that Handle returns for the last two are ignored.
type (
	Shown       struct{}
	Hidden      struct{}
	UnitChanged struct{}
)
