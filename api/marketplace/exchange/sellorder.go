package exchange

import (
	"errors"
	"time"

	"tonne/model"
)

// The states of a sell order. Only live ones are in the market.
const (
	Live      = "LIVE"
	Sold      = "SOLD"
	Withdrawn = "WITHDRAWN"
)

// SellOrder is an offer of a seller. Number is its key in the books, ID what
// the interface shows.
type SellOrder struct {
	Number   int64
	ID       string
	Vintage  Vintage
	Seller   int64
	State    string
	Price    model.PriceCents
	Quantity model.Grams
}

type orders interface {
	SellOrder(id string) (s SellOrder, found bool, err error)
	// AddSellOrder puts a live order on the market.
	AddSellOrder(SellOrder) (number int64, err error)
	SetPrice(s SellOrder, price model.PriceCents) error
	SetQuantity(s SellOrder, grams model.Grams) error
	// EndSellOrder takes an order off the market in its new state, with what it
	// still holds.
	EndSellOrder(s SellOrder, at time.Time) error
}

// ErrUnderATonne is returned for a sell order that nobody could buy from.
var ErrUnderATonne = errors.New("a sell order offers a tonne, 1000000 grams, or more")

// Offer puts a new sell order on the market and returns it, with an id where
// it had none. The error is ErrUnderATonne.
func (c *Change) Offer(s SellOrder) (SellOrder, error) {
	if s.Quantity < model.GramsPerTonne {
		return s, ErrUnderATonne
	}
	var err error
	if s.ID == "" {
		if s.ID, err = c.NewID(sellOrderID); err != nil {
			return s, err
		}
	}
	s.State = Live
	s.Number, err = c.AddSellOrder(s)
	return s, err
}

// Resize changes what a live order offers. One with less than a tonne is sold:
// nobody can buy that, so it goes back into the seller's wallet.
func (c *Change) Resize(s SellOrder, grams model.Grams) error {
	if grams >= model.GramsPerTonne {
		return c.SetQuantity(s, grams)
	}
	if grams > 0 {
		if err := c.giveBack(s, grams); err != nil {
			return err
		}
	}
	s.State, s.Quantity = Sold, 0
	return c.EndSellOrder(s, c.At)
}

// Withdraw takes a live order off the market for good.
func (c *Change) Withdraw(s SellOrder) error {
	s.State = Withdrawn
	return c.EndSellOrder(s, c.At)
}
