package exchange

import (
	"encoding/hex"
	"errors"
	"fmt"

	"tonne/model"
	"tonne/model/retirement"
)

var (
	// ErrUnknownRequest is returned for an id that no retirement request has.
	ErrUnknownRequest = errors.New("there is no retirement request with that id")
	// ErrNotInProgress is returned for a request that is not IN_PROGRESS.
	ErrNotInProgress = errors.New("only a retirement request that is IN_PROGRESS can be completed")
)

// Request is a retirement request of a tenant.
type Request struct {
	Number                  int64
	ID                      string
	Tenant, Vintage, Period int64
	Type                    retirement.Type
	Status                  retirement.Status
	Total                   model.Grams
	External                bool
	// closedAfter is the last trade that a new request waits for, or 0.
	closedAfter int64
}

const selectRequests = `SELECT number, id, tenant, vintage, period, type, status, total_grams, external_customer
	FROM retirement_requests `

func readRequest(row Row) Request {
	return Request{
		Number: row.Int64(0), ID: row.Text(1), Tenant: row.Int64(2), Vintage: row.Int64(3), Period: row.Int64(4),
		Type: retirement.Type(row.Text(5)), Status: retirement.Status(row.Text(6)), Total: grams(row, 7),
		External: row.Bool(8),
	}
}

func findRequests(c *Change, where string, args ...any) []Request {
	return collect(c, selectRequests+where, readRequest, args...)
}

func findRequest(c *Change, where string, args ...any) Request {
	return one(c, selectRequests+where, readRequest, args...)
}

func createRequest(c *Change, r Request) Request {
	r.ID = c.NewID(requestID)
	c.Do(`INSERT INTO retirement_requests
		(number, id, tenant, vintage, period, type, status, total_grams, external_customer, created_at,
			closed_at, closed_after)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		r.Number, r.ID, r.Tenant, r.Vintage, r.Period, r.Type, r.Status, r.Total, r.External, c.At.UnixMilli(),
		optional(c.At.UnixMilli()*min(r.closedAfter, 1)), optional(r.closedAfter))
	if r.Status == retirement.Closed && r.closedAfter == 0 {
		closeRequest(c, r, r.Total)
	}
	c.Audit("create request", r.ID, string(r.Status))
	return r
}

// closeRequest reads only the trades on whose invoices the request may wait, so that it does
// not conflict with other purchases.
func closeRequest(c *Change, r Request, total model.Grams) {
	c.Do(`UPDATE retirement_requests SET total_grams = $1, closed_at = $2, closed_after =
			(SELECT coalesce(max((SELECT max(t.number) FROM trades t WHERE t.invoice = i.number AND t.vintage = $3)), 0)
			FROM invoices i WHERE i.tenant = $4 AND i.state <> 'SETTLED')
		WHERE number = $5`, total, c.At.UnixMilli(), r.Vintage, r.Tenant, r.Number)
}

func transition(c *Change, r Request, from, to retirement.Status) {
	if c.Exec("UPDATE retirement_requests SET status = $1 WHERE number = $2 AND status || '' = $3", to, r.Number,
		from) != 1 {
		c.Fail(fmt.Errorf("retirement request %s is not %s", r.ID, from))
	}
	auditStatus(c, r, from, to)
}

func auditStatus(c *Change, r Request, from, to retirement.Status) {
	c.Audit("request status", r.ID, string(from)+" to "+string(to))
}

// processIfSettled moves a request to IN_PROGRESS if no unpaid invoice has a purchase of its
// vintage from before the request closed. No other change may settle an invoice meanwhile.
func processIfSettled(c *Change, r Request) {
	c.QueryForShare("SELECT number FROM invoices WHERE tenant = $1 AND state <> 'SETTLED'", func(Row) {}, r.Tenant)
	if isSettled(c, r.Number) {
		transition(c, r, retirement.Closed, retirement.InProgress)
	}
}

// isSettled asks for the first trade of each unpaid invoice, which an index answers. PostgreSQL would choose how to
// join the trades by statistics that are older than the purchases of the last minutes, and read all of the invoice.
func isSettled(tx Tx, request int64) bool {
	return !exists(tx, `SELECT 1 FROM retirement_requests r CROSS JOIN invoices i
		WHERE r.number = $1 AND i.tenant = r.tenant AND i.state <> 'SETTLED'
		AND (SELECT min(t.number) FROM trades t WHERE t.invoice = i.number AND t.vintage = r.vintage)
			<= coalesce(r.closed_after, 9223372036854775807) LIMIT 1`, request)
}

// CompleteAll completes every request that is IN_PROGRESS and counts them.
func CompleteAll(c *Change) int {
	processed := findRequests(c, "WHERE status = 'IN_PROGRESS' AND retired_at IS NULL ORDER BY number")
	for _, r := range processed {
		complete(c, r)
	}
	return len(processed)
}

func complete(c *Change, r Request) {
	of := issuance(c, r.Vintage)
	finish(c, r, of.take(r.Total.Tonnes()))
	c.Do("UPDATE vintages SET next_serial = $1 WHERE number = $2", of.Next, r.Vintage)
}

func finish(c *Change, r Request, serials []SerialRange) {
	for i, s := range serials {
		c.Do("INSERT INTO serial_numbers (request, position, serial, tonnes) VALUES ($1, $2, $3, $4)", r.Number, i+1,
			s.Serial, s.Tonnes)
	}
	c.Do("UPDATE retirement_requests SET status = 'COMPLETE', retired_at = $1, certificate = $2 WHERE number = $3",
		c.At.UnixMilli(), hex.EncodeToString(c.random(16)), r.Number)
	auditStatus(c, r, retirement.InProgress, retirement.Complete)
}
