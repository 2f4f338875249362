// Package tab has the code that all tabs share: the latest snapshots of data (View), the interface of a tab (Tab),
// input fields and forms, filters, and the formatting of values. It does not contain any tab.
package tab

import (
	"context"
	"time"

	"tonne/api/session"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/portfolio"
	"tonne/ui/effect"
	"tonne/ui/style"
)

// View has the state that all tabs share. Tabs only read it.
type View struct {
	Theme    *style.Theme
	Location *time.Location
	Now      func() time.Time
	// InGrams shows every quantity in grams instead of tonnes.
	InGrams bool
	// NoMotion disables animation: changed values are not marked.
	NoMotion bool
	// Shared reports that the user is on another machine than this program.
	Shared bool
	// Fleeting reports that the user's records are deleted at the end of the session.
	Fleeting bool
	// KeyHeld reports that a key or the mouse wheel that moves the cursor repeats.
	KeyHeld bool

	Market session.MarketEvent
	Book   session.PortfolioEvent
	// Recorded is set if Market and Book are those of an earlier time.
	Recorded Recorded
	// Projects has the details that are known so far.
	Projects model.Projects
	Files    Files
	// Retire opens the retirement form. It is nil if retiring is off.
	Retire func(RetireFrom) effect.Effect
	// WithFlags adds the flags of the dashboard to the commands in a text. Nil adds none.
	WithFlags func(advice.Text) string
	// Context ends with the dashboard. It is the context of all work of the tabs.
	Context context.Context
}

// Recorded has the time of a recorded market, zero for the live one, and when the live one was last
// confirmed.
type Recorded struct{ At, Live time.Time }

// Receive updates the view from an event, before the tabs get it.
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

// Bought returns the known purchases of a vintage: all purchases if the inventory is known, else the last one.
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

// LastPaidOf returns the last price paid for a vintage, if it is known.
func (v *View) LastPaidOf(key model.VintageKey) (portfolio.LastPaid, bool) {
	paid, ok := v.Book.LastPaid[key]
	return paid, ok
}

// LastPaidPrice returns the last price paid for a vintage, or UnknownPrice.
func (v *View) LastPaidPrice(key model.VintageKey) model.PriceCents {
	return v.Book.LastPaid.Of(key).Price
}

// BestAsk returns the best ask of a vintage, or UnknownPrice.
func (v *View) BestAsk(key model.VintageKey) model.PriceCents {
	if v.Market.Market == nil {
		return model.UnknownPrice
	}
	ask, _ := v.Market.Market.Offer(key)
	return ask
}

// Held returns the balance of a vintage in all wallets, if this run has read all of them.
func (v *View) Held(key model.VintageKey) (model.Grams, bool) {
	if v.Book.Earlier || v.Book.Balances == nil {
		return 0, false
	}
	held := v.Book.Balances[key]
	return held, held.Known()
}

// Usable returns the part of Held that a retirement is known to use, and the other wallets.
func (v *View) Usable(key model.VintageKey) (usable model.Grams, others []portfolio.Wallet, counted bool) {
	held, counted := v.Held(key)
	others = v.Book.Unusable[key]
	for _, w := range others {
		held -= w.Quantity
	}
	return max(held, 0), others, counted
}

// Year returns the year of a vintage, or 0 if it is unknown.
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

// VintageName returns the year of a vintage, or its id if the year is unknown.
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

// RetireFrom is the selection from which the user starts a retirement.
type RetireFrom struct {
	Vintage model.VintageKey
	// SellOrderID is the order to buy from. Empty means any order.
	SellOrderID string
	// Quantity is the quantity in grams for the form, or 0.
	Quantity model.Grams
	// Basket are the lines to retire together. Without any, the fields above apply.
	Basket []BasketLine
}

// BasketLine is a line of a basket: a quantity of a sell order, and the highest price per tonne.
type BasketLine struct {
	Vintage     model.VintageKey
	SellOrderID string
	Quantity    model.Grams
	MaxPrice    model.PriceCents
}

// RetiringIsOff is the message if retiring is off.
const RetiringIsOff = "Retiring is off. Set allow_retire = true, or use --allow-retire."

// RetiringIsElsewhere is the message of a shared dashboard, which never retires.
const RetiringIsElsewhere = "A shared dashboard cannot retire. Run tonne retire on its machine."

// WhyNotRetire returns the reason why retiring is disabled, or "".
func (v *View) WhyNotRetire() string {
	switch {
	case v.Retire != nil:
		return ""
	case v.Shared:
		return RetiringIsElsewhere
	}
	return RetiringIsOff
}
