package portfolio

import (
	"time"

	"tonne/model"
)

// BookValue is the total of several wallets. Each wallet is rounded to cents.
type BookValue struct {
	// Wallets is the number of wallets.
	Wallets int
	// Held is the total balance in grams.
	Held model.Grams
	// Value is the value of Valued at the best ask. Unvalued has no best ask.
	Value            model.Cents
	Valued, Unvalued model.Grams
	// Cost is the average cost of Costed.
	Cost   model.Cents
	Costed model.Grams
	// OverCost is the cost of replacing Compared minus its cost.
	OverCost model.Cents
	Compared model.Grams
	// CostUnread reports an unreadable purchase: Costed, Compared and Moved are then 0.
	CostUnread bool
	// Today is the change in value of Moved since the beginning of the day, or since the
	// purchase for credits bought since.
	Today model.Cents
	Moved model.Grams
}

// AddPosition adds a wallet with its best ask, and the baseline of its change of the day.
// After an error, ErrOverflow or ErrUnknown, b is unchanged.
func (b *BookValue) AddPosition(p *Position, bestAsk model.PriceCents, start Start) error {
	held, v, sum := p.Wallet.Quantity, p.Value(bestAsk), *b
	sum.Wallets++
	if !held.Known() {
		return model.ErrUnknown
	}
	if held > 0 && bestAsk.Known() && !v.HasValue {
		return model.ErrOverflow
	}
	var a model.Adder
	a.Grams(&sum.Held, held)
	if v.HasValue {
		a.Grams(&sum.Valued, held)
		a.Cents(&sum.Value, v.Value)
	} else {
		a.Grams(&sum.Unvalued, held)
	}
	if v.HasBasis {
		a.Grams(&sum.Costed, held)
		a.Cents(&sum.Cost, v.Basis)
	}
	if over, ok := v.OverCost(); ok {
		a.Grams(&sum.Compared, held)
		a.Cents(&sum.OverCost, over)
	}
	if moved, of, ok := p.Since(start, bestAsk); ok {
		a.Grams(&sum.Moved, of)
		a.Cents(&sum.Today, moved)
	}
	if sum.CostUnread = sum.CostUnread || p.Bought.Unread > 0; sum.CostUnread {
		sum.Cost, sum.Costed, sum.OverCost, sum.Compared, sum.Today, sum.Moved = 0, 0, 0, 0, 0, 0
	}
	if a.Err == nil {
		*b = sum
	}
	return a.Err
}

// Opening has the best asks at the beginning of the day.
type Opening struct {
	// At is the beginning of the day, or the time of the asks. It is zero if unknown.
	At time.Time
	// Asks omits vintages that had no best ask.
	Asks map[model.VintageKey]model.PriceCents
}

// Of returns the baseline of a vintage.
func (o Opening) Of(key model.VintageKey) Start {
	if ask, known := o.Asks[key]; known {
		return Start{o.At, ask}
	}
	return Start{o.At, model.UnknownPrice}
}

// Start is the baseline for the change of the day: the best ask of a vintage at the
// beginning of the day, or UnknownPrice, and its time, which is zero if unknown.
type Start struct {
	At      time.Time
	BestAsk model.PriceCents
}

// Since returns the change in value of the balance between start and a best ask, in cents
// rounded once, half away from zero, and the part of the balance that it covers. The
// baseline of credits bought since start is their average cost. If the balance has
// decreased, the credits held at start are gone first, because a retirement uses them
// before it buys. A part without a baseline is omitted. known is false if no part
// remains, or on overflow.
func (p *Position) Since(start Start, bestAsk model.PriceCents) (more model.Cents, of model.Grams, known bool) {
	if start.At.IsZero() || p.Wallet.Quantity <= 0 {
		return 0, 0, false
	}
	var bought Purchases
	var err error
	if !p.lastBought.Before(start.At) {
		bought, err = purchasesSince(p.Purchases, start.At)
	}
	if err != nil || bought.Unread > 0 {
		return 0, 0, false
	}
	fresh := min(bought.Quantity, p.Wallet.Quantity)
	var was model.Cost
	if before, err := model.CostOf(p.Wallet.Quantity-fresh, start.BestAsk); err == nil && fresh < p.Wallet.Quantity {
		was, of = before, p.Wallet.Quantity-fresh
	}
	cost, paid := bought.CostOf(fresh)
	if paid {
		of += fresh
	}
	now, err := model.CostOf(of, bestAsk)
	if err != nil || of == 0 {
		return 0, 0, false
	}
	more, err = now.Over(was)
	if err == nil {
		more, err = model.AddCents(more, -cost)
	}
	return more, of, err == nil
}
