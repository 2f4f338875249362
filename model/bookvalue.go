package model

// BookValue is what all wallets hold together and what that is worth. Each
// amount is rounded to cents in its wallet, so that the wallets add up to it.
type BookValue struct {
	// Wallets is how many there are. Unread of them hold a quantity that could
	// not be read: they are in no sum.
	Wallets, Unread int
	// Held is what they hold, in grams.
	Held Grams
	// Value is what Valued of that is worth at the best ask. The rest, Unvalued,
	// has none: nobody sells a whole tonne of it.
	Value            Cents
	Valued, Unvalued Grams
	// Cost is what Costed of that cost on average. The trades of the rest do not
	// tell.
	Cost   Cents
	Costed Grams
	// OverCost is how much more replacing Compared would cost than it cost, which
	// is what has a value and a cost.
	OverCost Cents
	Compared Grams
	// Today is how much more Moved of it is worth than the same was at the best
	// asks of the beginning of the day. What had none then is not in it.
	Today Cents
	Moved Grams
}

// Holding is a wallet of a book with what it is valued by.
type Holding struct {
	Quantity Grams
	Bought   Purchases
	// BestAsk is the best ask now, Before that at the beginning of the day:
	// UnknownPrice if there is none.
	BestAsk, Before PriceCents
}

// Add adds a wallet. The error is ErrOverflow; the book is then as it was.
func (b *BookValue) Add(h Holding) error {
	return b.add(h.Quantity, Value(h.Quantity, h.BestAsk, h.Bought), h.BestAsk, h.Before)
}

// AddPosition adds a wallet with its best ask now and that of the beginning of
// the day, each UnknownPrice if there is none. The error is ErrOverflow; the
// book is then as it was.
func (b *BookValue) AddPosition(p *Position, bestAsk, before PriceCents) error {
	return b.add(p.Wallet.Quantity, p.Value(bestAsk), bestAsk, before)
}

func (b *BookValue) add(held Grams, v Valuation, bestAsk, before PriceCents) error {
	sum := *b
	sum.Wallets++
	if !held.Known() {
		sum.Unread++
		*b = sum
		return nil
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
	if moved, ok := v.Since(Value(held, before, Purchases{})); ok {
		a.grams(&sum.Moved, held)
		a.cents(&sum.Today, moved)
	}
	if a.err == nil {
		*b = sum
	}
	return a.err
}

// adder adds until a sum does not fit.
type adder struct{ err error }

func (a *adder) grams(to *Grams, more Grams) {
	sum, err := AddGrams(*to, more)
	if err != nil {
		a.err = err
		return
	}
	*to = sum
}

func (a *adder) cents(to *Cents, more Cents) {
	sum, err := AddCents(*to, more)
	if err != nil {
		a.err = err
		return
	}
	*to = sum
}
