// Package tab is what all tabs share: the newest snapshots, and how values are shown.
package tab

import (
	"context"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/portfolio"
	"tonne/ui/effect"
	"tonne/ui/style"
)

// View is shared by the tabs, which only read it.
type View struct {
	Theme    *style.Theme
	Location *time.Location
	Now      func() time.Time
	// InGrams shows every quantity in grams instead of tonnes.
	InGrams bool
	// NoMotion says that nothing fades: changed values are not marked.
	NoMotion bool
	// Shared says that the person is at another machine than this program.
	Shared bool
	// Fleeting says that what the person records is gone with the session.
	Fleeting bool
	// KeyHeld says that the key, or the wheel, that moves the cursor repeats.
	KeyHeld bool

	Market session.MarketEvent
	Book   session.PortfolioEvent
	// Projects holds the details that are known so far.
	Projects model.Projects
	Files    Files
	// Retire lets the person retire; nil unless that is switched on.
	Retire func(RetireFrom) effect.Effect
	// WithFlags adds the flags of the dashboard to the commands that a text names; nil adds none.
	WithFlags func(text string) string
	// Context ends with the dashboard. Commands of tabs work under it.
	Context context.Context
}

// Receive takes what all tabs see from news, before the tabs get it.
func (v *View) Receive(e session.Event) {
	switch e := e.(type) {
	case session.MarketEvent:
		v.Market = e
	case session.PortfolioEvent:
		v.Book = e
	case session.ProjectsEvent:
		v.Projects = e.Projects
	}
}

// Bought returns the known purchases of a vintage: those in all wallets, or the last one.
func (v *View) Bought(key model.VintageKey) []portfolio.LastPaid {
	var wallets []portfolio.Position
	if v.Book.Positions != nil {
		wallets = v.Book.Positions.OfVintage(key)
	}
	var all []portfolio.LastPaid
	for _, w := range wallets {
		for _, t := range w.Purchases {
			if t.Type == portfolio.Buy {
				all = append(all, portfolio.LastPaid{Price: t.Price, ExecutionDate: t.ExecutionDate, Quantity: t.Quantity})
			}
		}
	}
	if paid, ok := v.LastPaidOf(key); ok && len(all) == 0 {
		return []portfolio.LastPaid{paid}
	}
	return all
}

// LastPaidOf returns what was last paid for a vintage, if that is known.
func (v *View) LastPaidOf(key model.VintageKey) (portfolio.LastPaid, bool) {
	paid, ok := v.Book.LastPaid[key]
	return paid, ok
}

// BestAsk returns the best ask of a vintage, or UnknownPrice.
func (v *View) BestAsk(key model.VintageKey) model.PriceCents {
	if v.Market.Market == nil {
		return model.UnknownPrice
	}
	ask, _ := v.Market.Market.Offer(key)
	return ask
}

// Held returns what our wallets hold of a vintage, if this run has read all of it.
func (v *View) Held(key model.VintageKey) (model.Grams, bool) {
	if v.Book.Earlier || v.Book.Balances == nil {
		return 0, false
	}
	held := v.Book.Balances[key]
	return held, held.Known()
}

// Year returns the year of a vintage, and 0 if it is not known.
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

// VintageName returns the year of a vintage, or its id if no year is known.
func (v *View) VintageName(key model.VintageKey) string {
	if year := v.Year(key); year != 0 {
		return Year(year)
	}
	return key.VintageID
}

// Label returns the project and the year of a vintage, for messages.
func (v *View) Label(key model.VintageKey) string {
	return v.Projects.Name(key.ProjectID) + " " + v.VintageName(key)
}

// RetireFrom is what a person begins to retire from.
type RetireFrom struct {
	Vintage model.VintageKey
	// SellOrderID is the order that must supply what is bought, empty for any.
	SellOrderID string
	// Quantity is what was asked for already, in grams; 0 for nothing.
	Quantity model.Grams
}

// RetiringIsOff says how retiring is switched on.
const RetiringIsOff = "Retiring is off. Set allow_retire = true, or use --allow-retire."

// RetiringIsElsewhere says why a shared desk retires nothing.
const RetiringIsElsewhere = "This desk is shared and retires nothing: run tonne retire on its machine."

// WhyNotRetire says why nothing can be retired, and is empty while it can.
func (v *View) WhyNotRetire() string {
	switch {
	case v.Retire != nil:
		return ""
	case v.Shared:
		return RetiringIsElsewhere
	}
	return RetiringIsOff
}
