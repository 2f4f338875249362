package exchange

import (
	"fmt"
	"time"

	"tonne/model"
)

// Vintage is a vintage and the project it belongs to, by their numbers.
type Vintage struct{ Number, Project int64 }

// Trade is whole tonnes of a sell order that a tenant bought.
type Trade struct {
	ID       string
	Tenant   int64
	Order    SellOrder
	Invoice  int64
	Quantity model.Grams
}

type wallets interface {
	Vintage(id string) (v Vintage, found bool, err error)
	// Balance returns what the tenant's wallet of a vintage holds; one that is
	// not there holds nothing.
	Balance(tenant int64, v Vintage) (model.Grams, error)
	SetBalance(tenant int64, v Vintage, grams model.Grams) error
	AddTrade(t Trade, at time.Time) (number int64, err error)
}

// RequestRetirement carries a call out and returns the id of the retirement
// request that it went into: the wallet is used first, the shortfall is bought
// in whole tonnes from the one sell order that the call names, and the grams
// asked for are queued. Of two calls of a tenant with the same external id the
// second does nothing and returns what the first did. An error that is a
// *Refusal is for the caller.
func (c *Change) RequestRetirement(tenant int64, call RetirementCall) (id string, replayed bool, err error) {
	id, replayed, err = c.FirstRequest(tenant, call.ExternalID)
	if replayed || err != nil {
		return id, replayed, err
	}
	p, err := c.CurrentPeriod()
	if err != nil {
		return "", false, err
	}
	v, found, err := c.Vintage(call.VintageID)
	if err == nil && !found {
		err = refuse("VINTAGE_ID_NOT_EXISTS", "There is no vintage with this vintage_id")
	}
	if err != nil {
		return "", false, err
	}
	trade, err := c.cover(tenant, v, call, p)
	if err != nil {
		return "", false, err
	}
	r, err := c.queue(tenant, v, call, p)
	if err != nil {
		return "", false, err
	}
	item, err := c.addItem(r, call, trade)
	if err != nil {
		return "", false, err
	}
	if err := c.AddExternalID(tenant, call.ExternalID, r, item); err != nil {
		return "", false, err
	}
	if call.Quantity.IsWhole() {
		err = c.processIfSettled(r)
	}
	return r.ID, false, err
}

// cover takes the grams of a call out of the tenant's wallet, after buying
// what is missing. What was bought beyond the call stays in the wallet:
// bought = queued + remainder. It returns the number of the trade, or 0 where
// nothing had to be bought.
func (c *Change) cover(tenant int64, v Vintage, call RetirementCall, p Period) (trade int64, err error) {
	balance, err := c.Balance(tenant, v)
	if err != nil {
		return 0, err
	}
	bought := model.Grams(0)
	if short := call.Quantity - balance; short > 0 {
		if bought, trade, err = c.buyFor(tenant, v, call, p, short.TonnesUp()); err != nil {
			return 0, err
		}
	}
	total, err := model.AddGrams(balance, bought)
	if err != nil {
		return 0, err
	}
	return trade, c.SetBalance(tenant, v, total-call.Quantity)
}

func (c *Change) buyFor(tenant int64, v Vintage, call RetirementCall, p Period, tonnes int64) (model.Grams, int64, error) {
	if call.SellOrderID == "" {
		return 0, 0, refuse("MISSING_SELL_ORDER_ID", fmt.Sprintf(
			"The inventory does not cover quantity_grams: sell_order_id is needed to buy %d tonnes", tonnes))
	}
	s, found, err := c.SellOrder(call.SellOrderID)
	switch {
	case err != nil:
		return 0, 0, err
	case !found:
		return 0, 0, refuse("SELL_ORDER_NOT_EXISTS", "There is no sell order with this sell_order_id")
	case s.Vintage != v:
		return 0, 0, refuse("VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE", "The sell order is of another vintage than vintage_id")
	case s.Seller == tenant:
		return 0, 0, refuse("PURCHASE_OWN_CREDITS", "The sell order is your own")
	case s.State != Live:
		return 0, 0, refuse("SELL_ORDER_NOT_LIVE", "The sell order is no longer available")
	case s.Price != call.ExpectedPrice:
		return 0, 0, refuse("PRICE_SUPPLIED_DIFF_CURRENT_PRICE", fmt.Sprintf(
			"The price is %d cents per tonne now, not the expected %d", s.Price, call.ExpectedPrice))
	case s.Quantity.Tonnes() < tonnes:
		return 0, 0, refuse("SELL_ORDER_SUPPLY_TOO_LOW", fmt.Sprintf(
			"The sell order offers %d tonnes, %d are needed", s.Quantity.Tonnes(), tonnes))
	}
	return c.Buy(tenant, s, p, tonnes)
}

// Buy moves whole tonnes from a sell order to the tenant: the order shrinks,
// the trade and its amount go on the invoice of the period. The caller puts
// the grams into the wallet. It also returns the number of the trade.
func (c *Change) Buy(tenant int64, s SellOrder, p Period, tonnes int64) (model.Grams, int64, error) {
	grams, err := model.WholeTonnes(tonnes)
	if err != nil {
		return 0, 0, err
	}
	cost, err := model.CostOf(grams, s.Price)
	if err != nil {
		return 0, 0, err
	}
	amount, err := cost.Cents()
	if err != nil {
		return 0, 0, err
	}
	invoice, err := c.bill(tenant, p, amount)
	if err != nil {
		return 0, 0, err
	}
	if err := c.Resize(s, s.Quantity-grams); err != nil {
		return 0, 0, err
	}
	id, err := c.NewID(tradeID)
	if err != nil {
		return 0, 0, err
	}
	number, err := c.AddTrade(Trade{id, tenant, s, invoice, grams}, c.At)
	return grams, number, err
}

// queue adds the call's grams to a retirement request: whole tonnes to one of
// their own, anything else to the one that gathers the vintage's fractions.
func (c *Change) queue(tenant int64, v Vintage, call RetirementCall, p Period) (Request, error) {
	if !call.Quantity.IsWhole() {
		return c.gather(tenant, v.Number, p, call.Quantity)
	}
	return c.createRequest(Request{
		Tenant: tenant, Vintage: v.Number, Period: p.Number, Total: call.Quantity,
		Type: model.Whole, Status: model.Closed, External: call.External,
	})
}

// addItem writes down the call itself. A retirement on the tenant's own behalf
// names the tenant.
func (c *Change) addItem(r Request, call RetirementCall, trade int64) (number int64, err error) {
	who := call.Retiree
	if !call.External {
		if who, err = c.OwnRetiree(r.Tenant); err != nil {
			return 0, err
		}
	}
	id, err := c.NewID(requestItemID)
	if err != nil {
		return 0, err
	}
	return c.AddItem(NewItem{id, r.Number, call.Quantity, who, call.RetireeID, trade}, c.At)
}
