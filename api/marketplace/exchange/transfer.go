package exchange

import (
	"errors"
	"time"

	"tonne/model"
)

var (
	// ErrUnknownOrder is returned for an id that no sell order has.
	ErrUnknownOrder = errors.New("there is no sell order with that id")
	// ErrOrderEnded is returned for a sell order that is sold out or withdrawn.
	ErrOrderEnded = errors.New("the sell order is sold out or withdrawn")
)

// The kinds of a transfer.
const (
	// TakenIn credits come from the seller's account in the registry into its
	// wallet.
	TakenIn = "TAKEN_IN"
	// Offered credits go from the seller's wallet into a sell order.
	Offered = "OFFERED"
	// Returned credits go from a sell order into the seller's wallet.
	Returned = "RETURNED"
)

// Transfer is credits of a seller that moved and were not sold.
type Transfer struct {
	Order    SellOrder
	Kind     string
	Quantity model.Grams
}

type transfers interface {
	AddTransfer(t Transfer, at time.Time) error
	// Sold is what was bought from a sell order.
	Sold(SellOrder) (model.Grams, error)
}

// Supply puts a sell order on the market whose credits come out of its
// seller's wallet. What the wallet lacks is taken in from the seller's account
// in the registry, in whole tonnes: a registry knows no others. An order
// without an id gets one.
func (c *Change) Supply(s SellOrder) (SellOrder, error) {
	s, err := c.Offer(s)
	if err != nil {
		return s, err
	}
	return s, c.draw(s, s.Quantity)
}

// Reoffer changes what a live order offers; the difference comes out of the
// seller's wallet as in Supply, or goes back into it. It is a tonne or more.
func (c *Change) Reoffer(s SellOrder, grams model.Grams) error {
	if more := grams - s.Quantity; more > 0 {
		if err := c.draw(s, more); err != nil {
			return err
		}
	} else if more < 0 {
		if err := c.giveBack(s, -more); err != nil {
			return err
		}
	}
	return c.SetQuantity(s, grams)
}

// Recall takes a live order off the market for good; what it still offers goes
// back into the seller's wallet.
func (c *Change) Recall(s SellOrder) error {
	if err := c.giveBack(s, s.Quantity); err != nil {
		return err
	}
	s.Quantity = 0
	return c.Withdraw(s)
}

// LiveOrder finds a live order by its id. The error is ErrUnknownOrder or
// ErrOrderEnded.
func (c *Change) LiveOrder(id string) (SellOrder, error) {
	s, found, err := c.SellOrder(id)
	switch {
	case err != nil:
		return s, err
	case !found:
		return s, ErrUnknownOrder
	case s.State != Live:
		return s, ErrOrderEnded
	}
	return s, nil
}

// draw takes grams for an order out of its seller's wallet.
func (c *Change) draw(s SellOrder, grams model.Grams) error {
	balance, err := c.Balance(s.Seller, s.Vintage)
	if err != nil {
		return err
	}
	if short := grams - balance; short > 0 {
		in, err := model.WholeTonnes(short.TonnesUp())
		if err != nil {
			return err
		}
		if err := c.AddTransfer(Transfer{s, TakenIn, in}, c.At); err != nil {
			return err
		}
		if balance, err = model.AddGrams(balance, in); err != nil {
			return err
		}
	}
	if err := c.SetBalance(s.Seller, s.Vintage, balance-grams); err != nil {
		return err
	}
	return c.AddTransfer(Transfer{s, Offered, grams}, c.At)
}

func (c *Change) giveBack(s SellOrder, grams model.Grams) error {
	balance, err := c.Balance(s.Seller, s.Vintage)
	if err != nil {
		return err
	}
	if balance, err = model.AddGrams(balance, grams); err != nil {
		return err
	}
	if err := c.SetBalance(s.Seller, s.Vintage, balance); err != nil {
		return err
	}
	return c.AddTransfer(Transfer{s, Returned, grams}, c.At)
}
