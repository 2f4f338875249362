package exchange

import (
	"errors"
	"fmt"

	"tonne/model"
)

// The kinds of a transfer: credits of a seller that moved and were not sold.
const (
	// takenIn credits come from the seller's account in the registry into its
	// wallet.
	takenIn = "TAKEN_IN"
	// offered credits go from the seller's wallet into a sell order.
	offered = "OFFERED"
	// returned credits go from a sell order into the seller's wallet.
	returned = "RETURNED"
)

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

// ErrPrice is returned for a price that is not more than 0.
var ErrPrice = errors.New("a price is more than 0 cents")

// Reprice changes the price of a live order. The error is ErrPrice,
// ErrUnknownOrder, ErrOrderEnded, or model.ErrOverflow if all of it would cost too much to be
// counted.
func (c *Change) Reprice(id string, price model.PriceCents) error {
	if price <= 0 {
		return ErrPrice
	}
	s, err := c.liveOrder(id)
	if err != nil || s.Price == price {
		return err
	}
	if _, err := amountOf(s.Quantity, price); err != nil {
		return err
	}
	c.SetPrice(s, price)
	c.Audit("reprice", id, fmt.Sprintf("%d to %d cents", s.Price, price))
	return nil
}

// WithdrawOrder takes a live order off the market for good: what it still
// offers goes back into its seller's wallet. It returns the order as it was.
// The error is ErrUnknownOrder or ErrOrderEnded.
func (c *Change) WithdrawOrder(id string) (SellOrder, error) {
	s, err := c.liveOrder(id)
	if err != nil {
		return s, err
	}
	if err := c.giveBack(s, s.Quantity); err != nil {
		return s, err
	}
	c.end(s, Withdrawn, 0)
	c.Audit("withdraw offer", id, fmt.Sprintf("%d g", s.Quantity))
	return s, nil
}

func (c *Change) draw(s SellOrder, grams model.Grams) error {
	balance := c.Balance(s.Seller, s.Vintage)
	if short := grams - balance; short > 0 {
		in, err := model.WholeTonnes(short.TonnesUp())
		if err != nil {
			return err
		}
		c.addTransfer(s, takenIn, in)
		if balance, err = model.AddGrams(balance, in); err != nil {
			return err
		}
	}
	c.SetBalance(s.Seller, s.Vintage, balance-grams)
	c.addTransfer(s, offered, grams)
	return nil
}

func (c *Change) giveBack(s SellOrder, grams model.Grams) error {
	c.addTransfer(s, returned, grams)
	return c.Credit(s.Seller, s.Vintage, grams)
}

func (c *Change) addTransfer(s SellOrder, kind string, grams model.Grams) {
	c.Do("INSERT INTO transfers (tenant, vintage, sell_order, type, quantity_grams, at) VALUES ($1, $2, $3, $4, $5, $6)",
		s.Seller, s.Vintage.Number, s.Number, kind, grams, c.At.UnixMilli())
}

func (c *Change) sold(s SellOrder) (total model.Grams, err error) {
	err = c.Query("SELECT quantity_grams FROM trades WHERE sell_order = $1", func(row Row) (err error) {
		total, err = model.AddGrams(total, grams(row, 0))
		return err
	}, s.Number)
	return total, err
}
