package marketplace

import (
	"fmt"

	"zombiezen.com/go/sqlite"

	"tonne/model"
)

// request is a row of retirement_requests, as far as changes need it.
type request struct {
	number          int64
	id              string
	tenant, vintage int64
	total           model.Grams
}

// item is a row of retirement_items, as far as changes need it.
type item struct {
	number   int64
	quantity model.Grams
}

// requests reads rows of the five columns of a request.
func (c *change) requests(query string, args ...any) ([]request, error) {
	var all []request
	err := each(c.Conn, query, func(stmt *sqlite.Stmt) error {
		all = append(all, request{
			number: stmt.ColumnInt64(0), id: stmt.ColumnText(1), tenant: stmt.ColumnInt64(2),
			vintage: stmt.ColumnInt64(3), total: columnGrams(stmt, 4),
		})
		return nil
	}, args...)
	return all, err
}

func (c *change) items(request int64) ([]item, error) {
	var all []item
	err := each(c.Conn, "SELECT number, quantity_grams FROM retirement_items WHERE request = ? ORDER BY number",
		func(stmt *sqlite.Stmt) error {
			all = append(all, item{stmt.ColumnInt64(0), columnGrams(stmt, 1)})
			return nil
		}, request)
	return all, err
}

// splitItem leaves the first grams of an item in its request and makes the
// rest an item of another.
func (c *change) splitItem(i item, keep model.Grams, to request) error {
	id, err := c.newID(requestItemID)
	if err != nil {
		return err
	}
	if err := run(c.Conn, `INSERT INTO retirement_items
		(id, request, quantity_grams, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade)
		SELECT ?, ?, ?, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade
		FROM retirement_items WHERE number = ?`, id, to.number, int64(i.quantity-keep), i.number); err != nil {
		return err
	}
	return run(c.Conn, "UPDATE retirement_items SET quantity_grams = ? WHERE number = ?", int64(keep), i.number)
}

// gather adds grams to the tenant's FRACTIONALISED request of a vintage and
// period. The request is made where there is none.
func (c *change) gather(tenant, vintage int64, p period, grams model.Grams) (request, error) {
	found, err := c.requests(`SELECT number, id, tenant, vintage, total_grams FROM retirement_requests
		WHERE tenant = ? AND vintage = ? AND period = ? AND type = 'FRACTIONALISED'`, tenant, vintage, p.number)
	if err != nil {
		return request{}, err
	}
	if len(found) == 0 {
		return c.createRequest(request{tenant: tenant, vintage: vintage, total: grams}, p, model.Fractionalised, false)
	}
	r := found[0]
	if r.total, err = model.AddGrams(r.total, grams); err != nil {
		return request{}, err
	}
	return r, run(c.Conn, "UPDATE retirement_requests SET total_grams = ? WHERE number = ?", int64(r.total), r.number)
}

// createRequest makes a request of a tenant: OPEN where fractions are
// gathered, CLOSED where it is whole (interface section 3).
func (c *change) createRequest(r request, p period, kind model.RetirementType, external bool) (request, error) {
	var err error
	if r.id, err = c.newID(requestID); err != nil {
		return request{}, err
	}
	status := model.Open
	if kind == model.Whole {
		status = model.Closed
	}
	err = run(c.Conn, `INSERT INTO retirement_requests
		(id, tenant, vintage, period, type, status, total_grams, external_customer, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, r.id, r.tenant, r.vintage, p.number, string(kind), string(status),
		int64(r.total), external, c.millis())
	if err != nil {
		return request{}, err
	}
	r.number = c.LastInsertRowID()
	if status == model.Closed {
		if err := c.close(r, r.total); err != nil {
			return request{}, err
		}
	}
	return r, c.audit("create request", r.id, string(status))
}

// close takes down when a request stopped gathering, and with how much.
func (c *change) close(r request, total model.Grams) error {
	return run(c.Conn, `UPDATE retirement_requests SET total_grams = ?, closed_at = ?, closed_after = (SELECT coalesce(max(number), 0) FROM trades)
		WHERE number = ?`, int64(total), c.millis(), r.number)
}

// transition moves a request from one state to another and writes that down.
func (c *change) transition(r request, from, to model.RetirementStatus) error {
	if err := run(c.Conn, "UPDATE retirement_requests SET status = ? WHERE number = ? AND +status = ?",
		string(to), r.number, string(from)); err != nil {
		return err
	}
	if c.Changes() != 1 {
		return fmt.Errorf("retirement request %s is not %s", r.id, from)
	}
	return c.audit("request status", r.id, string(from)+" to "+string(to))
}

// settled reports whether every invoice is paid that holds a purchase of the
// request's vintage from before the request closed.
func settled(conn *sqlite.Conn, number int64) (bool, error) {
	waits, err := find(conn, `SELECT 1 FROM retirement_requests r CROSS JOIN invoices i CROSS JOIN trades t
		WHERE r.number = ? AND i.tenant = r.tenant AND i.state <> 'SETTLED' AND t.invoice = i.number AND t.vintage = r.vintage
		AND t.number <= coalesce(r.closed_after, t.number) LIMIT 1`, func(*sqlite.Stmt) {}, number)
	return !waits, err
}

// processIfSettled moves a CLOSED request on to the registry once all its
// invoices are settled.
func (c *change) processIfSettled(r request) error {
	done, err := settled(c.Conn, r.number)
	if err != nil || !done {
		return err
	}
	return c.transition(r, model.Closed, model.InProgress)
}
