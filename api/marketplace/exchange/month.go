package exchange

import (
	"fmt"
	"time"

	"tonne/model"
)

// MaxJump is how far a clock may be ahead of what it must show. A longer
// sleep of the machine is rarer than a clock that was set wrong, and a month
// that has ended stays ended.
const MaxJump = 31 * 24 * time.Hour

// MonthEnd says what the end of a month did.
type MonthEnd struct {
	// Month is the month that was closed, such as 2026-11.
	Month string
	// Closed counts the retirement requests that went from OPEN to CLOSED or
	// on to IN_PROGRESS, NothingToProcess those that held less than a tonne.
	Closed, NothingToProcess int
	// Invoices counts the invoices that were issued.
	Invoices int
}

// Period is a month of accounts. One is open at a time.
type Period struct {
	Number int64
	// Month is such as 2026-11.
	Month string
}

func monthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// Over reports whether the period's month has ended by the time.
func (p Period) Over(now time.Time) bool { return p.Month < monthOf(now) }

// TooLate reports whether the period cannot have begun by the time: a clock
// that was far ahead has opened it.
func (p Period) TooLate(now time.Time) bool { return p.Month > monthOf(now.Add(MaxJump)) }

// OpenPeriod returns the month of accounts that is open, the zero Period before
// the first purchase.
func OpenPeriod(tx Tx) Period { return openPeriod(tx.Query) }

func openPeriod(query func(string, func(Row) error, ...any) error) (p Period) {
	_ = query("SELECT number, month FROM periods WHERE closed_at IS NULL", func(row Row) error {
		p = Period{Number: row.Int64(0), Month: row.Text(1)}
		return nil
	})
	return p
}

// CurrentPeriod returns the open period. One whose month is over is closed
// first, so that nothing is ever booked into a month that has ended. One that
// a wrong clock has opened becomes that of the present month: it would not end
// for years.
func (c *Change) CurrentPeriod() Period {
	// It stays open until the change is committed, unless the change closes it.
	p := openPeriod(c.QueryKept)
	switch {
	case p.Number == 0:
		return c.startPeriod()
	case p.TooLate(c.At):
		return c.correctMonth(p)
	case p.Over(c.At):
		_, next := c.endPeriod(p)
		return next
	}
	return p
}

// CloseMonth ends the accounts of the present month: invoices are issued, OPEN
// requests close. What is bought afterwards goes on a new invoice and into new
// requests, also within the same calendar month.
func (c *Change) CloseMonth() MonthEnd {
	end, _ := c.endPeriod(c.CurrentPeriod())
	return end
}

// Advance moves everything one step along its life cycle, as a demo needs it
// that cannot wait for the end of a month: what the registry processes is
// completed, what was invoiced is settled, and the month is closed where
// anything waits for that.
func (c *Change) Advance() {
	p := c.CurrentPeriod()
	c.CompleteAll()
	c.SettleAll()
	if exists(c, `SELECT 1 WHERE EXISTS (SELECT 1 FROM invoices WHERE state = 'LIVE')
		OR EXISTS (SELECT 1 FROM retirement_requests WHERE status = 'OPEN' AND retired_at IS NULL AND total_grams >= $1)`,
		model.GramsPerTonne) {
		c.endPeriod(p)
	}
}

func (c *Change) correctMonth(p Period) Period {
	right := Period{p.Number, monthOf(c.At)}
	c.Alone()
	c.Do("UPDATE periods SET month = $1 WHERE number = $2", right.Month, p.Number)
	c.Audit("correct month", p.Month, "a wrong clock opened it; it is "+right.Month)
	return right
}

func (c *Change) startPeriod() Period {
	month := monthOf(c.At)
	return Period{c.insert("INSERT INTO periods (month, opened_at) VALUES ($1, $2)", month, c.At.UnixMilli()), month}
}

func (c *Change) endPeriod(p Period) (end MonthEnd, next Period) {
	c.Alone()
	c.Do("UPDATE periods SET closed_at = $1 WHERE number = $2", c.At.UnixMilli(), p.Number)
	next = c.startPeriod()
	end = MonthEnd{Month: p.Month, Invoices: c.exec("UPDATE invoices SET state = 'ISSUED' WHERE period = $1 AND state = 'LIVE'", p.Number)}
	for _, r := range c.requests("WHERE status = 'OPEN' AND retired_at IS NULL ORDER BY number") {
		c.closeGathering(r, next, &end)
	}
	c.Audit("close month", p.Month, fmt.Sprintf("%d requests closed, %d with nothing to process, %d invoices issued",
		end.Closed, end.NothingToProcess, end.Invoices))
	return end, next
}

func (c *Change) closeGathering(r Request, next Period, end *MonthEnd) {
	whole := r.Total - r.Total%model.GramsPerTonne
	c.moveFraction(r, whole, next)
	c.closeRequest(r, whole)
	if whole == 0 {
		end.NothingToProcess++
		c.transition(r, model.Open, model.NothingToProcess)
		return
	}
	end.Closed++
	c.transition(r, model.Open, model.Closed)
	c.processIfSettled(r)
}

type item struct {
	number   int64
	quantity model.Grams
}

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
