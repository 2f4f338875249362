package exchange

import (
	"tonne/model"
	"tonne/model/retirement"
)

// Figures are the open work and the offer of a marketplace, for an operator's monitoring.
type Figures struct {
	// Requests has every state that is not final, with those that have no request.
	Requests []StateFigures
	// OpenInvoices counts the invoices that are not settled, OpenCents is their sum in USD cents.
	OpenInvoices int64
	OpenCents    model.Cents
	// SellOrders counts the live sell orders, Offered is what they offer.
	SellOrders int64
	Offered    model.Grams
}

// StateFigures are the retirement requests in one state.
type StateFigures struct {
	State retirement.Status
	Count int64
	// Oldest is when the oldest of them was created. It is unset if there is none.
	Oldest model.Timestamp
}

// ReadFigures counts the open requests and invoices and the live sell orders.
func ReadFigures(tx Tx) Figures {
	var f Figures
	found := make(map[retirement.Status]StateFigures)
	tx.Query(`SELECT status, count(*), min(created_at) FROM retirement_requests
		WHERE retired_at IS NULL AND status <> 'NOTHING_TO_PROCESS' GROUP BY status`, func(row Row) {
		state := retirement.Status(row.Text(0))
		found[state] = StateFigures{State: state, Count: row.Int64(1), Oldest: timestamp(row, 2)}
	})
	for _, state := range []retirement.Status{retirement.Open, retirement.Closed, retirement.InProgress} {
		figures := found[state]
		figures.State = state
		f.Requests = append(f.Requests, figures)
	}
	tx.Query("SELECT count(*), coalesce(sum(total_cents), 0) FROM invoices WHERE state <> 'SETTLED'", func(row Row) {
		f.OpenInvoices, f.OpenCents = row.Int64(0), model.Cents(row.Int64(1))
	})
	tx.Query("SELECT count(*), coalesce(sum(quantity_grams), 0) FROM sell_orders WHERE state = 'LIVE'", func(row Row) {
		f.SellOrders, f.Offered = row.Int64(0), model.Grams(row.Int64(1))
	})
	return f
}
