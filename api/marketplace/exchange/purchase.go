package exchange

import (
	"fmt"

	"tonne/model"
)

// Vintage is a vintage and the project it belongs to, by their numbers.
type Vintage struct{ Number, Project int64 }

func (c *Change) vintage(id string) Vintage {
	return one(c, "SELECT number, project FROM vintages WHERE id = $1", func(row Row) Vintage {
		return Vintage{Number: row.Int64(0), Project: row.Int64(1)}
	}, id)
}

// RequestRetirement carries a call out and returns the id of the retirement
// request that it went into: the wallet is used first, the shortfall is bought
// in whole tonnes from the one sell order that the call names, and the grams of
// the call are queued. Of two calls of a tenant with the same external id the
// second does nothing and returns what the first did. An error that is a
// *Refusal is for the caller.
func (c *Change) RequestRetirement(tenant int64, call RetirementCall) (id string, replayed bool, err error) {
	id = one(c, `SELECT r.id FROM external_ids e JOIN retirement_requests r ON r.number = e.request
		WHERE e.tenant = $1 AND e.external_id = $2`, firstText, tenant, call.ExternalID)
	if id != "" {
		return id, true, nil
	}
	p := c.CurrentPeriod()
	v := c.vintage(call.VintageID)
	if v.Number == 0 {
		return "", false, refuse("VINTAGE_ID_NOT_EXISTS", "There is no vintage with this vintage_id")
	}
	trade, err := c.cover(tenant, v, call, p)
	if err != nil {
		return "", false, err
	}
	r := c.queue(tenant, v, call, p)
	item := c.addItem(r, call, trade)
	c.Do("INSERT INTO external_ids (tenant, external_id, request, item) VALUES ($1, $2, $3, $4)", tenant, call.ExternalID, r.Number, item)
	if call.Quantity.IsWhole() {
		c.processIfSettled(r)
	}
	return r.ID, false, nil
}

// cover takes the grams of a call out of the tenant's wallet, after buying
// what is missing. What was bought beyond the call stays in the wallet:
// bought = queued + remainder. It returns the number of the trade, or 0 if
// nothing had to be bought.
func (c *Change) cover(tenant int64, v Vintage, call RetirementCall, p Period) (trade int64, err error) {
	balance, bought := c.Balance(tenant, v), model.Grams(0)
	if short := call.Quantity - balance; short > 0 {
		if bought, trade, err = c.buyFor(tenant, v, call, p, short.TonnesUp()); err != nil {
			return 0, err
		}
	}
	total, err := model.AddGrams(balance, bought)
	if err != nil {
		return 0, err
	}
	c.SetBalance(tenant, v, total-call.Quantity)
	return trade, nil
}

func (c *Change) buyFor(tenant int64, v Vintage, call RetirementCall, p Period, tonnes int64) (model.Grams, int64, error) {
	if call.SellOrderID == "" {
		return 0, 0, refuse("MISSING_SELL_ORDER_ID", fmt.Sprintf(
			"The inventory does not cover quantity_grams: sell_order_id is needed to buy %d tonnes", tonnes))
	}
	s := c.SellOrder(call.SellOrderID)
	switch {
	case s.Number == 0:
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
	amount, err := amountOf(grams, s.Price)
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
	trade, err := c.Insert(`INSERT INTO trades
		(id, tenant, vintage, wallet_type, sell_order, invoice, type, quantity_grams, price_cents, executed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, c.NewID(tradeID), tenant, s.Vintage.Number, model.WalletCAAS,
		s.Number, invoice, model.Buy, grams, s.Price, c.At.UnixMilli())
	return grams, trade, err
}

func amountOf(grams model.Grams, price model.PriceCents) (model.Cents, error) {
	cost, err := model.CostOf(grams, price)
	if err != nil {
		return 0, err
	}
	return cost.Cents()
}

// queue adds the call's grams to a retirement request: whole tonnes to one of
// their own, anything else to the one that gathers the vintage's fractions.
func (c *Change) queue(tenant int64, v Vintage, call RetirementCall, p Period) Request {
	if !call.Quantity.IsWhole() {
		return c.gather(tenant, v.Number, p, call.Quantity)
	}
	return c.createRequest(Request{
		Tenant: tenant, Vintage: v.Number, Period: p.Number, Total: call.Quantity,
		Type: model.Whole, Status: model.Closed, External: call.External,
	})
}

func (c *Change) addItem(r Request, call RetirementCall, trade int64) (number int64) {
	who := call.Retiree
	if !call.External {
		who = one(c, "SELECT name, tax_id, country FROM tenants WHERE number = $1", retiree, r.Tenant)
	}
	return c.insert(`INSERT INTO retirement_items
		(id, request, quantity_grams, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, c.NewID(requestItemID), r.Number, call.Quantity, c.At.UnixMilli(),
		optional(who.Name), optional(who.TaxID), optional(who.Country), optional(call.RetireeID), optional(trade))
}

// Balance returns what the tenant's wallet of a vintage has: 0 if there is none.
func (c *Change) Balance(tenant int64, v Vintage) model.Grams {
	return model.Grams(number(c, "SELECT quantity_grams FROM wallets WHERE tenant = $1 AND project = $2 AND vintage = $3 AND type = $4",
		tenant, v.Project, v.Number, model.WalletCAAS))
}

// SetBalance sets what the tenant's wallet of a vintage has.
func (c *Change) SetBalance(tenant int64, v Vintage, grams model.Grams) {
	c.Do(`INSERT INTO wallets (tenant, project, vintage, type, quantity_grams) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant, project, vintage, type) DO UPDATE SET quantity_grams = excluded.quantity_grams`,
		tenant, v.Project, v.Number, model.WalletCAAS, grams)
}

// Credit adds grams to the tenant's wallet of a vintage.
func (c *Change) Credit(tenant int64, v Vintage, grams model.Grams) error {
	balance, err := model.AddGrams(c.Balance(tenant, v), grams)
	if err != nil {
		return err
	}
	c.SetBalance(tenant, v, balance)
	return nil
}
