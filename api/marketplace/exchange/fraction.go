package exchange

import "tonne/model"

// item is one call in a retirement request.
type item struct {
	number   int64
	quantity model.Grams
}

// gather adds grams to the tenant's FRACTIONALISED request of a vintage and
// period, which is made if there is none.
func (c *Change) gather(tenant, vintage int64, p Period, grams model.Grams) Request {
	r := c.request("WHERE tenant = $1 AND vintage = $2 AND period = $3 AND type = 'FRACTIONALISED'", tenant, vintage, p.Number)
	if r.Number == 0 {
		return c.createRequest(Request{
			Tenant: tenant, Vintage: vintage, Period: p.Number, Total: grams, Type: model.Fractionalised, Status: model.Open,
		})
	}
	total, err := model.AddGrams(r.Total, grams)
	if err != nil {
		c.Fail(err)
	}
	r.Total = total
	c.Do("UPDATE retirement_requests SET total_grams = $1 WHERE number = $2", r.Total, r.Number)
	return r
}

// moveFraction moves the items of a request beyond its whole tonnes into the
// tenant's request of the next period.
func (c *Change) moveFraction(r Request, whole model.Grams, next Period) {
	if whole == r.Total {
		return
	}
	to := c.gather(r.Tenant, r.Vintage, next, r.Total-whole)
	items := collect(c, "SELECT number, quantity_grams FROM retirement_items WHERE request = $1 ORDER BY number",
		func(row Row) item { return item{row.Int64(0), grams(row, 1)} }, r.Number)
	for _, o := range beyond(items, whole) {
		if o.keep == 0 {
			c.Do("UPDATE retirement_items SET request = $1 WHERE number = $2", to.Number, o.number)
		} else {
			c.splitItem(o, to)
		}
	}
}

func (c *Change) splitItem(o overhang, to Request) {
	c.Do(`INSERT INTO retirement_items
		(id, request, quantity_grams, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade)
		SELECT $1, $2, $3, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade
		FROM retirement_items WHERE number = $4`, c.NewID(requestItemID), to.Number, o.quantity-o.keep, o.number)
	c.Do("UPDATE retirement_items SET quantity_grams = $1 WHERE number = $2", o.keep, o.number)
}

// overhang is an item that does not fit, except for the grams that stay.
type overhang struct {
	item
	keep model.Grams
}

// beyond returns the items that lie beyond the first grams of a request. The
// one that straddles the boundary keeps some: so the items of both requests
// add up to their totals.
func beyond(items []item, whole model.Grams) []overhang {
	var over []overhang
	var before model.Grams
	for _, i := range items {
		after := before + i.quantity
		if after > whole {
			over = append(over, overhang{i, max(whole-before, 0)})
		}
		before = after
	}
	return over
}
