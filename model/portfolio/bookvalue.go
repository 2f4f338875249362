package portfolio

import (
	"time"

	"tonne/model"
)

// BookValue sums up the wallets, each rounded to cents, and their worth.
type BookValue struct {
	// Wallets is how many there are.
	Wallets int
	// Held is their balance in grams.
	Held model.Grams
	// Value is the value of Valued at the best ask. Unvalued is not for sale.
	Value            model.Cents
	Valued, Unvalued model.Grams
	// Cost is the average cost of Costed.
	Cost   model.Cents
	Costed model.Grams
	// OverCost is the cost of replacing Compared minus its cost.
	OverCost model.Cents
	Compared model.Grams
	// CostUnread says that a purchase is unreadable: Costed, Compared and Moved are 0.
	CostUnread bool
	// Today is how much more Moved is worth than at the beginning of the day, or than it
	// cost if it was bought since.
	Today model.Cents
	Moved model.Grams
}

// AddPosition adds a wallet with its best ask and what its move is counted from. After an
// error, ErrOverflow or ErrUnknown, b is unchanged.
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

// Opening is the best asks at the beginning of the day, if they are known.
type Opening struct {
	// At is when the day began, or the moment that its asks are of.
	At time.Time
	// Asks lacks the vintages that had no best ask then.
	Asks map[model.VintageKey]model.PriceCents
}

// Of returns what the move of a vintage is counted from.
func (o Opening) Of(key model.VintageKey) Start {
	if ask, known := o.Asks[key]; known {
		return Start{o.At, ask}
	}
	return Start{o.At, model.UnknownPrice}
}

// Start is the best ask of a vintage at the beginning of the day, UnknownPrice
// if there was none, and when that was, zero if it is not known.
type Start struct {
	At      time.Time
	BestAsk model.PriceCents
}

// Since returns how much more the balance is worth at a best ask than at the start, in
// cents rounded once, half away from zero, and which part of it that is of. What was
// bought since counts from its average cost. Of a smaller balance what was held first is
// gone: a retirement takes it before it buys. A part without a price to count from is left
// out. It is false if nothing is left, or the amount does not fit.
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
