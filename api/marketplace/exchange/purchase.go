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

func findVintage(c *Change, id string) Vintage {
	return one(c, "SELECT number, project FROM vintages WHERE id = $1", readVintage, id)
}

// Accepted is the outcome of a call.
type Accepted struct {
	// ID is the id of the retirement request.
	ID string
	// Replayed is set for an external id that was processed before, Bought if credits were bought.
	Replayed, Bought bool
}

// needs is what a call depends on. earlier is the request of an earlier call with its id, and held reports that the
// tenant has a wallet of the vintage. numbers are those of the new trade, request and item.
type needs struct {
	earlier string
	vintage Vintage
	held    bool
	balance model.Grams
	order   SellOrder
	bill    invoice
	numbers []int64
}

// ask asks for all of it at once: purchases of a tenant take turns, and wait for each other's round trips to a server.
func (n *needs) ask(c *Change, tenant int64, call *RetirementCall) {
	ask(c, &n.earlier, `SELECT r.id FROM external_ids e JOIN retirement_requests r ON r.number = e.request
		WHERE e.tenant = $1 AND e.external_id = $2`, firstText, tenant, call.ExternalID)
	c.Ask(`SELECT v.number, v.project, w.quantity_grams FROM vintages v LEFT JOIN wallets w
		ON w.tenant = $1 AND w.project = v.project AND w.vintage = v.number AND w.type = $2 WHERE v.id = $3`, func(row Row) {
		n.vintage, n.held, n.balance = readVintage(row), row.Value(2) != nil, grams(row, 2)
	}, tenant, portfolio.WalletCAAS, call.VintageID)
	ask(c, &n.order, selectOrder, readSellOrder, call.SellOrderID)
	ask(c, &n.bill, selectInvoices+"WHERE tenant = $1 AND period = (SELECT number FROM periods WHERE closed_at IS NULL)",
		readInvoice, tenant)
	if !call.External {
		ask(c, &call.Retiree, "SELECT name, tax_id, country FROM tenants WHERE number = $1", retiree, tenant)
	}
	n.numbers = c.Reserve("trades", "retirement_requests", "retirement_items")
}

// RequestRetirement executes a call. It buys the credits that the wallet lacks, in whole tonnes, from the sell order of
// the call. A second call of a tenant with the same external id changes nothing and returns the id of the first call.
// It fails with a *Refusal.
func RequestRetirement(c *Change, tenant int64, call RetirementCall) Accepted {
	n := new(needs)
	n.ask(c, tenant, &call)
	p := openPeriod(c.QueryForShare)
	if n.earlier != "" {
		return Accepted{ID: n.earlier, Replayed: true}
	}
	if now := current(c, p); now != p && c.Err() == nil {
		return RequestRetirement(c, tenant, call)
	}
	if n.vintage.Number == 0 {
		c.Fail(refuse("VINTAGE_ID_NOT_EXISTS", "There is no vintage with this vintage_id"))
		return Accepted{}
	}
	trade := cover(c, tenant, n, call, p)
	r := queue(c, tenant, n, call, p, trade)
	addItem(c, n.numbers[2], r, call, trade)
	c.Do("INSERT INTO external_ids (tenant, external_id, request, item) VALUES ($1, $2, $3, $4)", tenant, call.ExternalID,
		r.Number, n.numbers[2])
	// The invoice of a purchase is not settled.
	if call.Quantity.IsWhole() && trade == 0 {
		processIfSettled(c, r)
	}
	return Accepted{ID: r.ID, Bought: trade != 0}
}

// cover leaves the rest of a purchase in the wallet: bought = queued + remainder. It returns the number of the trade,
// or 0 if the wallet covers the call.
func cover(c *Change, tenant int64, n *needs, call RetirementCall, p Period) (trade int64) {
	bought := model.Grams(0)
	if short := call.Quantity - n.balance; short > 0 {
		tonnes := short.TonnesUp()
		if err := refusePurchase(tenant, n.vintage, call, n.order, tonnes); err != nil {
			c.Fail(err)
			return 0
		}
		trade = n.numbers[0]
		bought = buy(c, trade, n.bill, tenant, n.order, p, tonnes)
	}
	// A call that leaves the balance as it is might as well come before a change of the wallet.
	if left := addGrams(c, n.balance, bought) - call.Quantity; left != n.balance || !n.held {
		SetBalance(c, tenant, n.vintage, left)
	}
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
// returns the grams, which the caller adds to the wallet.
func Buy(c *Change, tenant int64, s SellOrder, p Period, tonnes int64) model.Grams {
	trade := c.Reserve("trades")
	i := one(c, selectInvoices+"WHERE tenant = $1 AND period = $2", readInvoice, tenant, p.Number)
	return buy(c, trade[0], i, tenant, s, p, tonnes)
}

func buy(c *Change, trade int64, i invoice, tenant int64, s SellOrder, p Period, tonnes int64) model.Grams {
	grams := wholeTonnes(c, tonnes)
	number := bill(c, i, tenant, p, amountOf(c, grams, s.Price))
	Resize(c, s, s.Quantity-grams)
	c.Do(`INSERT INTO trades
		(number, id, tenant, vintage, wallet_type, sell_order, invoice, type, quantity_grams, price_cents, executed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, trade, c.NewID(tradeID), tenant, s.Vintage.Number,
		portfolio.WalletCAAS, s.Number, number, portfolio.Buy, grams, s.Price, c.At.UnixMilli())
	return grams
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

func queue(c *Change, tenant int64, n *needs, call RetirementCall, p Period, trade int64) Request {
	if !call.Quantity.IsWhole() {
		return addToOpenRequest(c, tenant, n.vintage.Number, p, call.Quantity)
	}
	return createRequest(c, Request{
		Number: n.numbers[1], Tenant: tenant, Vintage: n.vintage.Number, Period: p.Number, Total: call.Quantity,
		Type: retirement.Whole, Status: retirement.Closed, External: call.External, closedAfter: trade,
	})
}

func addItem(c *Change, number int64, r Request, call RetirementCall, trade int64) {
	c.Do(`INSERT INTO retirement_items (number, id, request, quantity_grams, created_at,
			retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, number, c.NewID(requestItemID), r.Number, call.Quantity,
		c.At.UnixMilli(), optional(call.Retiree.Name), optional(call.Retiree.TaxID), optional(call.Retiree.Country),
		optional(call.RetireeID), optional(trade))
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
