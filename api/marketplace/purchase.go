package marketplace

import (
	"fmt"
	"net/http"

	"zombiezen.com/go/sqlite"

	"tonne/api/wire"
	"tonne/model"
)

// postRequestRetirement answers POST /api/caas/request-retirement: inventory
// is used first, the shortfall is bought in whole tonnes from the one sell
// order that was named, and the grams asked for are queued for retirement.
func (m *Marketplace) postRequestRetirement(w http.ResponseWriter, r *http.Request, from caller) error {
	body, err := requestBody(r)
	if err != nil {
		return err
	}
	o, err := readOrder(body)
	if err != nil {
		return err
	}
	var id string
	var replayed bool
	err = m.change(r.Context(), from.keyID, func(c *change) (err error) {
		id, replayed, err = c.requestRetirement(from.tenant, o)
		return err
	})
	if err != nil {
		return err
	}
	m.answer(w, r, http.StatusOK, wire.AppendRetirementAccepted(nil, id, replayed))
	return nil
}

// requestRetirement carries an order out and returns the id of the retirement
// request that it went into. Of two orders of a tenant with the same external
// id the second does nothing and returns what the first did.
func (c *change) requestRetirement(tenant int64, o order) (id string, replayed bool, err error) {
	replayed, err = find(c.Conn, `SELECT r.id FROM external_ids e JOIN retirement_requests r ON r.number = e.request
		WHERE e.tenant = ? AND e.external_id = ?`, func(stmt *sqlite.Stmt) { id = stmt.ColumnText(0) }, tenant, o.externalID)
	if replayed || err != nil {
		return id, replayed, err
	}
	p, err := c.period()
	if err != nil {
		return "", false, err
	}
	v, err := c.vintage(o.vintageID)
	if err != nil {
		return "", false, err
	}
	trade, err := c.cover(tenant, v, o, p)
	if err != nil {
		return "", false, err
	}
	r, err := c.queue(tenant, v, o, p)
	if err != nil {
		return "", false, err
	}
	item, err := c.addItem(r, o, trade)
	if err != nil {
		return "", false, err
	}
	if err := run(c.Conn, "INSERT INTO external_ids (tenant, external_id, request, item) VALUES (?, ?, ?, ?)",
		tenant, o.externalID, r.number, item); err != nil {
		return "", false, err
	}
	if o.quantity.IsWhole() {
		err = c.processIfSettled(r)
	}
	return r.id, false, err
}

// vintage is a vintage and the project it belongs to, by their numbers.
type vintage struct{ number, project int64 }

func (c *change) vintage(id string) (vintage, error) {
	var v vintage
	found, err := find(c.Conn, "SELECT number, project FROM vintages WHERE id = ?", func(stmt *sqlite.Stmt) {
		v = vintage{stmt.ColumnInt64(0), stmt.ColumnInt64(1)}
	}, id)
	if err == nil && !found {
		err = refuse("VINTAGE_ID_NOT_EXISTS", "There is no vintage with this vintage_id")
	}
	return v, err
}

// cover takes the grams of an order out of the tenant's wallet, after buying
// what is missing. What was bought beyond the order stays in the wallet:
// bought = queued + remainder. It returns the number of the trade, or 0 where
// nothing had to be bought.
func (c *change) cover(tenant int64, v vintage, o order, p period) (trade int64, err error) {
	balance, err := c.balance(tenant, v)
	if err != nil {
		return 0, err
	}
	bought := model.Grams(0)
	if short := o.quantity - balance; short > 0 {
		if bought, trade, err = c.buyFor(tenant, v, o, p, short.TonnesUp()); err != nil {
			return 0, err
		}
	}
	total, err := model.AddGrams(balance, bought)
	if err != nil {
		return 0, err
	}
	return trade, c.setBalance(tenant, v, total-o.quantity)
}

// buyFor buys whole tonnes from the sell order that the order names, once
// everything about it holds.
func (c *change) buyFor(tenant int64, v vintage, o order, p period, tonnes int64) (model.Grams, int64, error) {
	if o.sellOrderID == "" {
		return 0, 0, refuse("MISSING_SELL_ORDER_ID", fmt.Sprintf(
			"The inventory does not cover quantity_grams: sell_order_id is needed to buy %d tonnes", tonnes))
	}
	s, found, err := c.sellOrder(o.sellOrderID)
	switch {
	case err != nil:
		return 0, 0, err
	case !found:
		return 0, 0, refuse("SELL_ORDER_NOT_EXISTS", "There is no sell order with this sell_order_id")
	case s.vintage != v:
		return 0, 0, refuse("VINTAGE_SUPPLIED_DIFF_SELL_ORDER_VINTAGE", "The sell order is of another vintage than vintage_id")
	case s.seller == tenant:
		return 0, 0, refuse("PURCHASE_OWN_CREDITS", "The sell order is your own")
	case s.state != live:
		return 0, 0, refuse("SELL_ORDER_NOT_LIVE", "The sell order is no longer available")
	case s.price != o.expectedPrice:
		return 0, 0, refuse("PRICE_SUPPLIED_DIFF_CURRENT_PRICE", fmt.Sprintf(
			"The price is %d cents per tonne now, not the expected %d", s.price, o.expectedPrice))
	case s.quantity.Tonnes() < tonnes:
		return 0, 0, refuse("SELL_ORDER_SUPPLY_TOO_LOW", fmt.Sprintf(
			"The sell order offers %d tonnes, %d are needed", s.quantity.Tonnes(), tonnes))
	}
	return c.buy(tenant, s, p, tonnes)
}

// buy moves whole tonnes from a sell order to the tenant: the order shrinks,
// the trade and its amount go on the invoice of the period. The caller puts
// the grams into the wallet.
func (c *change) buy(tenant int64, s sellOrder, p period, tonnes int64) (model.Grams, int64, error) {
	grams, err := model.WholeTonnes(tonnes)
	if err != nil {
		return 0, 0, err
	}
	cost, err := model.CostOf(grams, s.price)
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
	if err := c.resize(s, s.quantity-grams); err != nil {
		return 0, 0, err
	}
	id, err := c.newID(tradeID)
	if err != nil {
		return 0, 0, err
	}
	err = run(c.Conn, `INSERT INTO trades
		(id, tenant, vintage, wallet_type, sell_order, invoice, type, quantity_grams, price_cents, executed_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, tenant, s.vintage.number, model.WalletCAAS, s.number, invoice,
		string(model.Buy), int64(grams), int64(s.price), c.millis())
	return grams, c.LastInsertRowID(), err
}

// queue adds the order's grams to a retirement request: whole tonnes to one of
// their own, anything else to the one that gathers the vintage's fractions.
func (c *change) queue(tenant int64, v vintage, o order, p period) (request, error) {
	if !o.quantity.IsWhole() {
		return c.gather(tenant, v.number, p, o.quantity)
	}
	return c.createRequest(request{tenant: tenant, vintage: v.number, total: o.quantity}, p, model.Whole, o.external)
}

// addItem writes down the call itself. A retirement on the tenant's own behalf
// names the tenant.
func (c *change) addItem(r request, o order, trade int64) (number int64, err error) {
	who := o.retiree
	if !o.external {
		if _, err := find(c.Conn, "SELECT name, tax_id, country FROM tenants WHERE number = ?", func(stmt *sqlite.Stmt) {
			who = retiree{stmt.ColumnText(0), stmt.ColumnText(1), stmt.ColumnText(2)}
		}, r.tenant); err != nil {
			return 0, err
		}
	}
	id, err := c.newID(requestItemID)
	if err != nil {
		return 0, err
	}
	var bought any
	if trade != 0 {
		bought = trade
	}
	err = run(c.Conn, `INSERT INTO retirement_items
		(id, request, quantity_grams, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, r.number, int64(o.quantity), c.millis(), optional(who.name),
		optional(who.taxID), optional(who.country), optional(o.retireeID), bought)
	return c.LastInsertRowID(), err
}
