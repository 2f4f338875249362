package model

// BookValue sums up the wallets, each rounded to cents, and their worth.
type BookValue struct {
	// Wallets is how many there are.
	Wallets int
	// Held is what they hold, in grams.
	Held Grams
	// Value is what Valued is worth at the best ask. Nobody sells Unvalued.
	Value            Cents
	Valued, Unvalued Grams
	// Cost is what Costed cost on average.
	Cost   Cents
	Costed Grams
	// OverCost is how much more replacing Compared costs than it cost.
	OverCost Cents
	Compared Grams
	// CostUnread says that a purchase is unreadable: Costed, Compared and Moved are 0.
	CostUnread bool
	// Today is how much more Moved is worth than at the beginning of the day, or than it
	// cost if it was bought since.
	Today Cents
	Moved Grams
}

// AddPosition adds a wallet with its best ask and what its move is counted from. After an
// error, ErrOverflow or ErrUnknown, b is unchanged.
func (b *BookValue) AddPosition(p *Position, bestAsk PriceCents, start Start) error {
	held, v, sum := p.Wallet.Quantity, p.Value(bestAsk), *b
	sum.Wallets++
	if !held.Known() {
		return ErrUnknown
	}
	if held > 0 && bestAsk.Known() && !v.HasValue {
		return ErrOverflow
	}
	var a adder
	a.grams(&sum.Held, held)
	if v.HasValue {
		a.grams(&sum.Valued, held)
		a.cents(&sum.Value, v.Value)
	} else {
		a.grams(&sum.Unvalued, held)
	}
	if v.HasBasis {
		a.grams(&sum.Costed, held)
		a.cents(&sum.Cost, v.Basis)
	}
	if over, ok := v.OverCost(); ok {
		a.grams(&sum.Compared, held)
		a.cents(&sum.OverCost, over)
	}
	if moved, of, ok := p.Since(start, bestAsk); ok {
		a.grams(&sum.Moved, of)
		a.cents(&sum.Today, moved)
	}
	if sum.CostUnread = sum.CostUnread || p.Bought.Unread > 0; sum.CostUnread {
		sum.Cost, sum.Costed, sum.OverCost, sum.Compared, sum.Today, sum.Moved = 0, 0, 0, 0, 0, 0
	}
	if a.err == nil {
		*b = sum
	}
	return a.err
}

// adder adds, and keeps the error of a sum that does not fit: that stays as it was.
type adder struct{ err error }

func (a *adder) grams(to *Grams, more Grams) { enter(a, to, more, AddGrams) }
func (a *adder) cents(to *Cents, more Cents) { enter(a, to, more, AddCents) }
func (a *adder) cost(to *Cost, more Cost)    { enter(a, to, more, Cost.Add) }

func enter[T any](a *adder, to *T, more T, add func(T, T) (T, error)) {
	whole, err := add(*to, more)
	if err != nil {
		a.err = err
		return
	}
	*to = whole
}
