package marketplace

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

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

// period is the month of accounts that is open.
type period struct {
	number int64
	month  string
}

// monthOf names the month of a time. Months end in UTC.
func monthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// CloseMonth ends the accounts of the present month by hand: invoices are
// issued, OPEN requests close. What is bought afterwards goes on a new invoice
// and into new requests, also within the same calendar month.
func (m *Marketplace) CloseMonth(ctx context.Context) (MonthEnd, error) {
	var end MonthEnd
	err := m.change(ctx, operator, func(c *change) error {
		p, err := c.period()
		if err != nil {
			return err
		}
		end, err = c.closePeriod(p)
		return err
	})
	if err != nil {
		return MonthEnd{}, fmt.Errorf("close the month: %w", err)
	}
	return end, nil
}

// catchUp closes the accounts of a month that is over, and gives those their
// month back that a wrong clock has opened. Either is rare enough to be told.
func (m *Marketplace) catchUp(ctx context.Context) error {
	now := m.now()
	var p period
	found := false
	err := m.db.read(ctx, func(conn *sqlite.Conn) (err error) {
		p, found, err = currentPeriod(conn)
		return err
	})
	if err != nil || !found || p.month >= monthOf(now) && !p.tooLate(now) {
		return err
	}
	switch {
	case p.tooLate(now):
		m.log.Warn("the open month lies in the future: a clock was wrong; it is the present month from now on", "month", p.month, "clock", now)
	case p.month < monthOf(now.Add(-2*maxJump)):
		m.log.Warn("months ended while nobody attended; see whether the clock is right", "month", p.month, "clock", now)
	}
	return m.change(ctx, clock, func(c *change) error {
		_, err := c.period()
		return err
	})
}

// tooLate reports whether the period cannot have begun by the time: a clock
// that was far ahead has opened it.
func (p period) tooLate(now time.Time) bool { return p.month > monthOf(now.Add(maxJump)) }

func currentPeriod(conn *sqlite.Conn) (p period, found bool, err error) {
	found, err = find(conn, "SELECT number, month FROM periods WHERE closed_at IS NULL", func(stmt *sqlite.Stmt) {
		p = period{stmt.ColumnInt64(0), stmt.ColumnText(1)}
	})
	return p, found, err
}

// period returns the open period. One whose month is over is closed first, so
// that nothing is ever booked into a month that has ended. One that a wrong
// clock has opened becomes that of the present month: it would not end for
// years.
func (c *change) period() (period, error) {
	p, found, err := currentPeriod(c.Conn)
	if err != nil || !found {
		if err == nil {
			p, err = c.startPeriod()
		}
		return p, err
	}
	if p.tooLate(c.at) {
		return c.correctMonth(p)
	}
	if p.month >= monthOf(c.at) {
		return p, nil
	}
	if _, err := c.closePeriod(p); err != nil {
		return period{}, err
	}
	p, _, err = currentPeriod(c.Conn)
	return p, err
}

func (c *change) correctMonth(p period) (period, error) {
	right := period{p.number, monthOf(c.at)}
	if err := run(c.Conn, "UPDATE periods SET month = ? WHERE number = ?", right.month, right.number); err != nil {
		return period{}, err
	}
	return right, c.audit("correct month", p.month, "a wrong clock opened it; it is "+right.month)
}

func (c *change) startPeriod() (period, error) {
	month := monthOf(c.at)
	err := run(c.Conn, "INSERT INTO periods (month, opened_at) VALUES (?, ?)", month, c.millis())
	return period{c.LastInsertRowID(), month}, err
}

// closePeriod ends a period and opens the next one.
func (c *change) closePeriod(p period) (MonthEnd, error) {
	end := MonthEnd{Month: p.month}
	if err := run(c.Conn, "UPDATE periods SET closed_at = ? WHERE number = ?", c.millis(), p.number); err != nil {
		return end, err
	}
	next, err := c.startPeriod()
	if err != nil {
		return end, err
	}
	if end.Invoices, err = c.issueInvoices(p); err != nil {
		return end, err
	}
	gathering, err := c.requests("SELECT number, id, tenant, vintage, total_grams FROM retirement_requests WHERE status = 'OPEN' AND retired_at IS NULL ORDER BY number")
	if err != nil {
		return end, err
	}
	for _, r := range gathering {
		if err := c.closeGathering(r, next, &end); err != nil {
			return end, err
		}
	}
	return end, c.audit("close month", p.month, fmt.Sprintf("%d requests closed, %d with nothing to process, %d invoices issued",
		end.Closed, end.NothingToProcess, end.Invoices))
}

func (c *change) issueInvoices(p period) (int, error) {
	err := run(c.Conn, "UPDATE invoices SET state = 'ISSUED' WHERE period = ? AND state = 'LIVE'", p.number)
	return c.Changes(), err
}

// closeGathering closes an OPEN request: its whole tonnes are to be retired,
// the fraction moves on to the request of the next period.
func (c *change) closeGathering(r request, next period, end *MonthEnd) error {
	whole := r.total - r.total%model.GramsPerTonne
	if err := c.moveFraction(r, whole, next); err != nil {
		return err
	}
	if err := c.close(r, whole); err != nil {
		return err
	}
	if whole == 0 {
		end.NothingToProcess++
		return c.transition(r, model.Open, model.NothingToProcess)
	}
	end.Closed++
	if err := c.transition(r, model.Open, model.Closed); err != nil {
		return err
	}
	return c.processIfSettled(r)
}

// moveFraction moves the items of a request beyond its whole tonnes into the
// tenant's request of the next period. The item that straddles the boundary
// is split, so that the items of both requests add up to their totals.
func (c *change) moveFraction(r request, whole model.Grams, next period) error {
	if whole == r.total {
		return nil
	}
	to, err := c.gather(r.tenant, r.vintage, next, r.total-whole)
	if err != nil {
		return err
	}
	items, err := c.items(r.number)
	if err != nil {
		return err
	}
	var before model.Grams
	for _, item := range items {
		after := before + item.quantity
		switch {
		case after <= whole:
		case before >= whole:
			err = run(c.Conn, "UPDATE retirement_items SET request = ? WHERE number = ?", to.number, item.number)
		default:
			err = c.splitItem(item, whole-before, to)
		}
		if err != nil {
			return err
		}
		before = after
	}
	return nil
}
