package exchange

import (
	"errors"
	"fmt"
	"time"

	"tonne/model"
	"tonne/model/retirement"
)

// MaxJump is the largest forward jump of the clock that is accepted. A wrong clock is more likely
// than a machine that slept for longer, and ending a month cannot be undone.
const MaxJump = 31 * 24 * time.Hour

// MonthEnd is the result of ending a month. It counts the requests that were closed, those
// with less than a tonne (NothingToProcess), and the issued invoices.
type MonthEnd struct {
	Month                              string
	Closed, NothingToProcess, Invoices int
}

// Period is a month of accounts, such as 2026-11. Only one is open at a time.
type Period struct {
	Number int64
	Month  string
}

func monthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// Over reports whether the month has ended at the given time.
func (p Period) Over(now time.Time) bool { return p.Month < monthOf(now) }

// TooLate reports whether the month is more than MaxJump after the given time: then a wrong
// clock opened it.
func (p Period) TooLate(now time.Time) bool { return p.Month > monthOf(now.Add(MaxJump)) }

// OpenPeriod returns the open period, or the zero Period before the first purchase.
func OpenPeriod(tx Tx) Period { return openPeriod(tx.Query) }

func openPeriod(query func(string, func(Row), ...any)) (p Period) {
	query("SELECT number, month FROM periods WHERE closed_at IS NULL",
		func(row Row) { p = Period{row.Int64(0), row.Text(1)} })
	return p
}

// CurrentPeriod returns the open period. First it closes a period whose month is over, and
// corrects the month of a period that a wrong clock opened.
func CurrentPeriod(c *Change) Period {
	// Other changes cannot close the period until this one is committed.
	return current(c, openPeriod(c.QueryForShare))
}

// current returns the period that takes the place of the open one.
func current(c *Change, p Period) Period {
	switch {
	case p.Number == 0:
		return startPeriod(c)
	case p.TooLate(c.At):
		return correctMonth(c, p)
	case p.Over(c.At):
		_, next := endPeriod(c, p)
		return next
	}
	return p
}

// ErrOtherPeriod is returned if the period to close is not the open one any more.
var ErrOtherPeriod = errors.New("the month was closed meanwhile")

// Closing is what the end of a month does to an open request: Whole is retired, in grams, and Moved goes into
// the next month.
type Closing struct {
	Work
	Whole, Moved model.Grams
}

// MonthPlan is what CloseMonth would do.
type MonthPlan struct {
	Period   Period
	Requests []Closing
	Invoices []Bill
	// Total is the sum of the invoices.
	Total model.Cents
}

// PlanMonth returns what closing the open period would do at a time. Without an open period it is zero.
func PlanMonth(tx Tx, now time.Time) (plan MonthPlan, err error) {
	if plan.Period = OpenPeriod(tx); plan.Period.Number == 0 {
		return plan, nil
	}
	if plan.Period.TooLate(now) {
		plan.Period.Month = monthOf(now)
	}
	for _, w := range Requests(tx, WorkFilter{State: string(retirement.Open)}) {
		if !w.RetiredAt.Known() {
			whole := w.TotalQuantity - w.TotalQuantity%model.GramsPerTonne
			plan.Requests = append(plan.Requests, Closing{w, whole, w.TotalQuantity - whole})
		}
	}
	for _, bill := range Invoices(tx, BillFilter{Open: true}) {
		if bill.State != "LIVE" {
			continue
		}
		bill.Month = plan.Period.Month
		plan.Invoices = append(plan.Invoices, bill)
		if plan.Total, err = model.AddCents(plan.Total, bill.Total); err != nil {
			return plan, err
		}
	}
	return plan, nil
}

// CloseMonth ends the accounts of the open period with a number: it issues the invoices and closes OPEN
// requests. Later purchases go into new ones. It fails with ErrOtherPeriod.
func CloseMonth(c *Change, number int64) MonthEnd {
	p := openPeriod(c.QueryForShare)
	switch {
	case p.Number == 0 || p.Number != number:
		c.Fail(ErrOtherPeriod)
	case p.TooLate(c.At):
		p = correctMonth(c, p)
	}
	end, _ := endPeriod(c, p)
	return end
}

// Advance moves every request and invoice one step along its life cycle, for a demo that
// cannot wait for the end of a month.
func Advance(c *Change) {
	p := CurrentPeriod(c)
	CompleteAll(c)
	SettleAll(c)
	if exists(c, `SELECT 1 WHERE EXISTS (SELECT 1 FROM invoices WHERE state = 'LIVE')
		OR EXISTS (SELECT 1 FROM retirement_requests WHERE status = 'OPEN' AND retired_at IS NULL AND total_grams >= $1)`,
		model.GramsPerTonne) {
		endPeriod(c, p)
	}
}

func correctMonth(c *Change, p Period) Period {
	right := Period{p.Number, monthOf(c.At)}
	c.Exclusive()
	c.Do("UPDATE periods SET month = $1 WHERE number = $2", right.Month, p.Number)
	c.Audit("correct month", p.Month, "a wrong clock opened it; it is "+right.Month)
	return right
}

func startPeriod(c *Change) Period {
	month := monthOf(c.At)
	return Period{c.Insert("INSERT INTO periods (month, opened_at) VALUES ($1, $2)", month, c.At.UnixMilli()), month}
}

func endPeriod(c *Change, p Period) (end MonthEnd, next Period) {
	c.Exclusive()
	c.Do("UPDATE periods SET closed_at = $1 WHERE number = $2", c.At.UnixMilli(), p.Number)
	next = startPeriod(c)
	end = MonthEnd{Month: p.Month,
		Invoices: c.Exec("UPDATE invoices SET state = 'ISSUED' WHERE period = $1 AND state = 'LIVE'", p.Number)}
	for _, r := range findRequests(c, "WHERE status = 'OPEN' AND retired_at IS NULL ORDER BY number") {
		closeOpenRequest(c, r, next, &end)
	}
	c.Audit("close month", p.Month, fmt.Sprintf("%d requests closed, %d with nothing to process, %d invoices issued",
		end.Closed, end.NothingToProcess, end.Invoices))
	return end, next
}

func closeOpenRequest(c *Change, r Request, next Period, end *MonthEnd) {
	whole := r.Total - r.Total%model.GramsPerTonne
	moveFraction(c, r, whole, next)
	closeRequest(c, r, whole)
	if whole == 0 {
		end.NothingToProcess++
		transition(c, r, retirement.Open, retirement.NothingToProcess)
		return
	}
	end.Closed++
	transition(c, r, retirement.Open, retirement.Closed)
	processIfSettled(c, r)
}

// item is an item of a request. keep is the part that stays in the request.
type item struct {
	number         int64
	id             string
	quantity, keep model.Grams
}

func addToOpenRequest(c *Change, tenant, vintage int64, p Period, grams model.Grams) Request {
	numbers := c.Reserve("retirement_requests")
	r := findRequest(c, "WHERE tenant = $1 AND vintage = $2 AND period = $3 AND type = 'FRACTIONALISED'", tenant, vintage,
		p.Number)
	if r.Number == 0 {
		return createRequest(c, Request{
			Number: numbers[0], Tenant: tenant, Vintage: vintage, Period: p.Number, Total: grams,
			Type: retirement.Fractionalised, Status: retirement.Open,
		})
	}
	r.Total = addGrams(c, r.Total, grams)
	c.Do("UPDATE retirement_requests SET total_grams = $1 WHERE number = $2", r.Total, r.Number)
	return r
}

func moveFraction(c *Change, r Request, whole model.Grams, next Period) {
	if whole == r.Total {
		return
	}
	to := addToOpenRequest(c, r.Tenant, r.Vintage, next, r.Total-whole)
	items := collect(c, "SELECT number, id, quantity_grams FROM retirement_items WHERE request = $1 ORDER BY number",
		func(row Row) item { return item{number: row.Int64(0), id: row.Text(1), quantity: grams(row, 2)} }, r.Number)
	for _, o := range beyond(items, whole) {
		if o.keep == 0 {
			c.Do("UPDATE retirement_items SET request = $1 WHERE number = $2", to.Number, o.number)
		} else {
			splitItem(c, o, r, to)
		}
	}
}

// splitItem moves the row, whose number comes before those of the items that follow it, so
// that both requests keep the order of their items. What stays keeps the id.
func splitItem(c *Change, o item, from, to Request) {
	c.Do("UPDATE retirement_items SET id = $1, request = $2, quantity_grams = $3 WHERE number = $4",
		c.NewID(requestItemID), to.Number, o.quantity-o.keep, o.number)
	c.Do(`INSERT INTO retirement_items
		(id, request, quantity_grams, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade)
		SELECT $1, $2, $3, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade
		FROM retirement_items WHERE number = $4`, o.id, from.Number, o.keep, o.number)
}

// beyond returns the items after the first whole grams of a request. It splits the item at
// the boundary, so that the items of both requests add up to their totals.
func beyond(items []item, whole model.Grams) (over []item) {
	for _, i := range items {
		i.keep = max(min(whole, i.quantity), 0)
		if whole -= i.quantity; whole < 0 {
			over = append(over, i)
		}
	}
	return over
}
