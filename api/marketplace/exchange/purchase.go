package exchange

import (
	"fmt"

	"tonne/model"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Vintage is the number of a vintage and of its project.
type Vintage struct{ Number, Project int64 }

func readVintage(row Row) Vintage { return Vintage{Number: row.Int64(0), Project: row.Int64(1)} }

const selectVintage = "SELECT number, project FROM vintages WHERE id = $1"

func findVintage(c *Change, id string) Vintage { return one(c, selectVintage, readVintage, id) }

// Accepted is the outcome of a call.
type Accepted struct {
	// ID is the id of the retirement request.
	ID string
	// Replayed is set for an external id that was processed before, Bought if credits were bought.
	Replayed, Bought bool
}

// RequestRetirement executes a call. It buys the credits that the wallet lacks, in whole tonnes, from the sell order of
// the call. A second call of a tenant with the same external id changes nothing and returns the id of the first call.
// It fails with a *Refusal.
func RequestRetirement(c *Change, tenant int64, call RetirementCall) Accepted {
	var id string
	var v Vintage
	ask(c, &id, `SELECT r.id FROM external_ids e JOIN retirement_requests r ON r.number = e.request
		WHERE e.tenant = $1 AND e.external_id = $2`, firstText, tenant, call.ExternalID)
	ask(c, &v, selectVintage, readVintage, call.VintageID)
	p := openPeriod(c.QueryForShare)
	if id != "" {
		return Accepted{ID: id, Replayed: true}
	}
	p = current(c, p)
	if v.Number == 0 {
		c.Fail(refuse("VINTAGE_ID_NOT_EXISTS", "There is no vintage with this vintage_id"))
		return Accepted{}
	}
	who := call.Retiree
	if !call.External {
		ask(c, &who, "SELECT name, tax_id, country FROM tenants WHERE number = $1", retiree, tenant)
	}
	trade := cover(c, tenant, v, call, p)
	r := queue(c, tenant, v, call, p)
	item := addItem(c, r, call, who, trade)
	c.Do("INSERT INTO external_ids (tenant, external_id, request, item) VALUES ($1, $2, $3, $4)", tenant, call.ExternalID,
		r.Number, item)
	if call.Quantity.IsWhole() {
		processIfSettled(c, r)
	}
	return Accepted{ID: r.ID, Bought: trade != 0}
}

// cover leaves the rest of a purchase in the wallet: bought = queued + remainder.
func cover(c *Change, tenant int64, v Vintage, call RetirementCall, p Period) (trade int64) {
	var s SellOrder
	var i invoice
	ask(c, &s, selectOrder, readSellOrder, call.SellOrderID)
	ask(c, &i, selectBill, readInvoice, tenant, p.Number)
	balance, bought := Balance(c, tenant, v), model.Grams(0)
	if short := call.Quantity - balance; short > 0 {
		tonnes := short.TonnesUp()
		if err := refusePurchase(tenant, v, call, s, tonnes); err != nil {
			c.Fail(err)
			return 0
		}
		bought, trade = buy(c, i, tenant, s, p, tonnes)
	}
	SetBalance(c, tenant, v, addGrams(c, balance, bought)-call.Quantity)
	return trade
}

func refusePurchase(tenant int64, v Vintage, call RetirementCall, s SellOrder, tonnes int64) error {
	switch {
	case call.SellOrderID == "":
		return refuse("MISSING_SELL_ORDER_ID", fmt.Sprintf(
			"The inventory does not cover quantity_grams: give sell_order_id to buy %d tonnes", tonnes))
	case s.Number == 0:
		return refuse("SELL_ORDER_NOT_EXISTS", "There is no sell order with this sell_order_id")
	case s.Vintage != v:
		return refuse("VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE", "The sell order is of another vintage than vintage_id")
	case s.Seller == tenant:
		return refuse("PURCHASE_OWN_CREDITS", "The sell order is your own")
	case s.State != Live:
		return refuse("SELL_ORDER_NOT_LIVE", "The sell order is no longer available")
	case s.Price != call.ExpectedPrice:
		return refuse("PRICE_SUPPLIED_DIFF_CURRENT_PRICE", fmt.Sprintf(
			"The price is now %d cents per tonne, not the expected %d", s.Price, call.ExpectedPrice))
	case s.Quantity.Tonnes() < tonnes:
		return refuse("SELL_ORDER_SUPPLY_TOO_LOW", fmt.Sprintf(
			"The sell order offers %d tonnes, %d are needed", s.Quantity.Tonnes(), tonnes))
	}
	return nil
}

// Buy buys whole tonnes from a sell order for the tenant, on the invoice of the period. It
// returns the grams, which the caller adds to the wallet, and the number of the trade.
func Buy(c *Change, tenant int64, s SellOrder, p Period, tonnes int64) (model.Grams, int64) {
	return buy(c, one(c, selectBill, readInvoice, tenant, p.Number), tenant, s, p, tonnes)
}

func buy(c *Change, i invoice, tenant int64, s SellOrder, p Period, tonnes int64) (model.Grams, int64) {
	grams := wholeTonnes(c, tonnes)
	number := bill(c, i, tenant, p, amountOf(c, grams, s.Price))
	Resize(c, s, s.Quantity-grams)
	return grams, c.Insert(`INSERT INTO trades
		(id, tenant, vintage, wallet_type, sell_order, invoice, type, quantity_grams, price_cents, executed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, c.NewID(tradeID), tenant, s.Vintage.Number, portfolio.WalletCAAS,
		s.Number, number, portfolio.Buy, grams, s.Price, c.At.UnixMilli())
}

func amountOf(c *Change, grams model.Grams, price model.PriceCents) model.Cents {
	cost, err := model.CostOf(grams, price)
	c.Fail(err)
	amount, err := cost.Cents()
	c.Fail(err)
	return amount
}

func addGrams(c *Change, a, b model.Grams) model.Grams {
	sum, err := model.AddGrams(a, b)
	c.Fail(err)
	return sum
}

func wholeTonnes(c *Change, tonnes int64) model.Grams {
	grams, err := model.WholeTonnes(tonnes)
	c.Fail(err)
	return grams
}

func queue(c *Change, tenant int64, v Vintage, call RetirementCall, p Period) Request {
	if !call.Quantity.IsWhole() {
		return addToOpenRequest(c, tenant, v.Number, p, call.Quantity)
	}
	return createRequest(c, Request{
		Tenant: tenant, Vintage: v.Number, Period: p.Number, Total: call.Quantity,
		Type: retirement.Whole, Status: retirement.Closed, External: call.External,
	})
}

func addItem(c *Change, r Request, call RetirementCall, who Retiree, trade int64) (number int64) {
	return c.Insert(`INSERT INTO retirement_items
		(id, request, quantity_grams, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, c.NewID(requestItemID), r.Number, call.Quantity, c.At.UnixMilli(),
		optional(who.Name), optional(who.TaxID), optional(who.Country), optional(call.RetireeID), optional(trade))
}

// Balance returns the balance of the tenant's wallet of a vintage.
func Balance(c *Change, tenant int64, v Vintage) model.Grams {
	return model.Grams(number(c,
		"SELECT quantity_grams FROM wallets WHERE tenant = $1 AND project = $2 AND vintage = $3 AND type = $4",
		tenant, v.Project, v.Number, portfolio.WalletCAAS))
}

// SetBalance sets the balance of the tenant's wallet of a vintage.
func SetBalance(c *Change, tenant int64, v Vintage, grams model.Grams) {
	c.Do(`INSERT INTO wallets (tenant, project, vintage, type, quantity_grams) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant, project, vintage, type) DO UPDATE SET quantity_grams = excluded.quantity_grams`,
		tenant, v.Project, v.Number, portfolio.WalletCAAS, grams)
}

// Credit adds grams to the tenant's wallet of a vintage.
func Credit(c *Change, tenant int64, v Vintage, grams model.Grams) {
	SetBalance(c, tenant, v, addGrams(c, Balance(c, tenant, v), grams))
}
