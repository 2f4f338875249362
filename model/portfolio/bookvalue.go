package portfolio

import "tonne/model"

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
