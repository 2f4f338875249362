// Package tab is what all tabs share: what they see of the program: the newest snapshots, how
// their values are shown, and the wishes that a tab may send to it.
package tab

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/api/feed"
	"tonne/model"
	"tonne/ui/style"
)

// View is shared by the tabs. The desk changes it in Update, the tabs only
// read it.
type View struct {
	Theme    *style.Theme
	Location *time.Location
	Now      func() time.Time
	// InGrams shows every quantity in grams instead of tonnes.
	InGrams bool
	// Running says that the cursor runs: what moves it is held.
	Running bool

	Market   feed.MarketEvent
	LastPaid feed.LastPaidEvent
	// Projects holds the details that are known so far. Learn and Recall set
	// it.
	Projects model.Projects
	details  details
	// wishes are what tabs asked to be shown.
	wishes []tea.Msg
	// Context ends with the dashboard. Commands of tabs work under it.
	Context context.Context
}

// Receive takes from news of the feed what all tabs see. The desk calls it
// before the tabs get the news.
func (v *View) Receive(e feed.Event) {
	switch e := e.(type) {
	case feed.MarketEvent:
		v.Market = e
	case feed.LastPaidEvent:
		v.LastPaid = e
	case feed.ProjectsEvent:
		v.Learn(e.Projects)
	}
}

// LastPaidOf returns what was last paid for a vintage, and false where nothing
// was or it is not known yet.
func (v *View) LastPaidOf(key model.VintageKey) (model.LastPaid, bool) {
	paid, ok := v.LastPaid.Prices[key]
	return paid, ok
}

// BestAsk returns the best ask of a vintage, or UnknownPrice where there is
// none or the market is not known yet.
func (v *View) BestAsk(key model.VintageKey) model.PriceCents {
	if v.Market.Market != nil {
		if i, ok := v.Market.Market.Find(key); ok {
			return v.Market.Market.Vintage(i).BestAsk
		}
	}
	return model.UnknownPrice
}

// Held returns what our wallets hold of a vintage, and false while the
// inventory has not been read.
func (v *View) Held(key model.VintageKey) (model.Grams, bool) {
	return v.LastPaid.Balances[key], v.LastPaid.Balances != nil
}

// Year returns the year of a vintage, and 0 where it is not known.
func (v *View) Year(key model.VintageKey) int {
	for _, vintage := range v.Projects[key.ProjectID].Vintages {
		if vintage.ID == key.VintageID {
			return vintage.Year
		}
	}
	if v.Market.Market != nil {
		if i, ok := v.Market.Market.Find(key); ok {
			return int(v.Market.Market.Vintage(i).Year)
		}
	}
	return 0
}

// VintageName returns the year of a vintage, or its id where no year is known.
func (v *View) VintageName(key model.VintageKey) string {
	if year := v.Year(key); year != 0 {
		return Year(year)
	}
	return key.VintageID
}

// Done is the end of a command's work: the desk calls it where state may be
// changed.
type Done func() tea.Cmd

// Toast asks the desk to show a message for a while.
type Toast struct {
	Text string
	// Bad marks one about something that failed.
	Bad bool
}

// Copy asks the desk to put text on the clipboard. What names it in the
// message that follows, such as "the project's id".
type Copy struct{ Text, What string }

// Open asks the desk to open an address that came from data.
type Open struct{ URL string }

// Notify asks the desk to tell the person through the terminal, who may be
// looking elsewhere.
type Notify struct{ Text string }

// Show asks the desk for a box on the screen: an Ask, a Choose or a Lay. It is
// there before the next key is taken, so that fast typing lands in it. Call it
// in Update only. It returns nil, for the caller to return.
func (v *View) Show(wish tea.Msg) tea.Cmd {
	v.wishes = append(v.wishes, wish)
	return nil
}

// Wishes hands over what Show was called with since the call before.
func (v *View) Wishes() []tea.Msg {
	wishes := v.wishes
	v.wishes = nil
	return wishes
}

// Send returns a command that sends one of the wishes above to the desk.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// Say returns a command that shows a message.
func Say(text string) tea.Cmd { return Send(Toast{Text: text}) }

// Complain returns a command that shows a message about something that failed.
func Complain(text string) tea.Cmd { return Send(Toast{Text: text, Bad: true}) }

// Ask asks the desk to let the person type a line. Done gets what was typed
// once ↵ is pressed; a problem it returns is shown and the line stays.
type Ask struct {
	Title, Hint string
	// Value is what was given the last time. The first character that is typed
	// replaces it; a key that moves or deletes edits it.
	Value string
	Done  func(typed string) (cmd tea.Cmd, problem string)
}

// Choose asks the desk to show a list of things that are on or off.
type Choose struct {
	Title   string
	Choices []Choice
}

// Choice is one thing that is on or off.
type Choice struct {
	Label, Help string
	On          bool
	Set         func(on bool)
}

// Advice returns what an error suggests to do, in one sentence, or "".
func Advice(err error) string {
	var advised interface{ Advice() string }
	if errors.As(err, &advised) {
		return advised.Advice()
	}
	return ""
}
