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
	sum := *b
	sum.Wallets++
	if !h.Quantity.Known() {
		sum.Unread++
		*b = sum
		return nil
	}
	v := Value(h.Quantity, h.BestAsk, h.Bought)
	if h.Quantity > 0 && h.BestAsk.Known() && !v.HasValue {
		return ErrOverflow
	}
	var a adder
	a.grams(&sum.Held, h.Quantity)
	if v.HasValue {
		a.grams(&sum.Valued, h.Quantity)
		a.cents(&sum.Value, v.Value)
	} else {
		a.grams(&sum.Unvalued, h.Quantity)
	}
	if v.HasBasis {
		a.grams(&sum.Costed, h.Quantity)
		a.cents(&sum.Cost, v.Basis)
	}
	if over, ok := v.OverCost(); ok {
		a.grams(&sum.Compared, h.Quantity)
		a.cents(&sum.OverCost, over)
	}
	if before := Value(h.Quantity, h.Before, Purchases{}); v.HasValue && before.HasValue {
		a.grams(&sum.Moved, h.Quantity)
		a.cents(&sum.Today, v.Value-before.Value)
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

// BookValue sums up all wallets of an inventory at the best asks of a market;
// before are those of the beginning of the day, by vintage. It is the whole book
// only when inv was fetched whole, with all trades. The error is ErrOverflow.
func (inv *Inventory) BookValue(m *Market, before map[VintageKey]PriceCents) (BookValue, error) {
	var book BookValue
	for _, p := range inv.Projects {
		for _, v := range p.Vintages {
			key := VintageKey{p.ID, v.ID}
			h := Holding{BestAsk: m.Facts(key, nil).BestAsk, Before: UnknownPrice}
			if price, known := before[key]; known {
				h.Before = price
			}
			for _, w := range v.Wallets {
				bought, err := w.Purchases()
				if err != nil {
					bought = Purchases{}
				}
				h.Quantity, h.Bought = w.Quantity, bought
				if err := book.Add(h); err != nil {
					return BookValue{}, err
				}
			}
		}
	}
	return book, nil
}
