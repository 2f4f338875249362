package exchange

import (
	"slices"

	"tonne/model"
	"tonne/model/retirement"
)

// Work is a retirement request in the operator's list.
type Work struct {
	// Request has no certificate, items or serial numbers.
	retirement.Request
	Tenant, Project, Registry string
	Year                      int
	// ClosedAt is the time of closing: the quantity is final since then.
	ClosedAt model.Timestamp
	Retirees []Retiree
	// Unsettled are the ids of the unpaid invoices that it waits for.
	Unsettled []string
}

// AnyState is the State of a WorkFilter that selects all requests.
const AnyState = "ALL"

// WorkFilter selects retirement requests.
type WorkFilter struct {
	// Tenant is the name of a tenant; empty selects all.
	Tenant string
	// State is a status, AnyState, or empty for requests that are not finished.
	State string
}

// Requests lists retirement requests, oldest first.
func Requests(tx Tx, filter WorkFilter) []Work {
	var numbers []int64
	all := collect(tx, "SELECT "+retirementColumns+`, r.closed_at, t.name, p.name, g.name, v.year
		FROM retirement_requests r JOIN tenants t ON t.number = r.tenant JOIN vintages v ON v.number = r.vintage
		JOIN projects p ON p.number = v.project JOIN registries g ON g.number = p.registry
		WHERE ($1 = '' OR t.name = $1) AND ($2 = 'ALL' OR r.status = $2
			OR $2 = '' AND r.retired_at IS NULL AND r.status <> 'NOTHING_TO_PROCESS')
		ORDER BY r.number`, func(row Row) Work {
		numbers = append(numbers, row.Int64(0))
		return Work{
			Request: readRetirement(row), ClosedAt: timestamp(row, 10), Tenant: row.Text(11), Project: row.Text(12),
			Registry: row.Text(13),
			Year:     int(row.Int64(14)),
		}
	}, filter.Tenant, filter.State)
	for i := range all {
		all[i].addWaiting(tx, numbers[i])
	}
	return all
}

func (w *Work) addWaiting(tx Tx, request int64) {
	tx.Query("SELECT retiree_name, retiree_tax_id, retiree_country FROM retirement_items WHERE request = $1 "+
		"ORDER BY number", func(row Row) {
		if who := retiree(row); !slices.Contains(w.Retirees, who) {
			w.Retirees = append(w.Retirees, who)
		}
	}, request)
	if w.Status != retirement.Closed && w.Status != retirement.Open {
		return
	}
	w.Unsettled = collect(tx, `SELECT i.id FROM retirement_requests r JOIN invoices i ON i.tenant = r.tenant
		WHERE r.number = $1 AND i.state <> 'SETTLED' AND EXISTS (SELECT 1 FROM trades t WHERE t.invoice = i.number
			AND t.vintage = r.vintage AND t.number <= coalesce(r.closed_after, t.number))
		ORDER BY i.number`, firstText, request)
}

// Bill is an invoice in the operator's list.
type Bill struct {
	ID, Tenant, Month string
	// State is LIVE until the month ends, then ISSUED, and SETTLED once paid.
	State     string
	Total     model.Cents
	SettledAt model.Timestamp
}

// BillFilter selects invoices. The zero value selects all.
type BillFilter struct {
	Tenant string
	// Open excludes settled invoices.
	Open bool
}

// Invoices lists invoices, oldest first.
func Invoices(tx Tx, filter BillFilter) []Bill {
	settled := InvoiceSettled
	if filter.Open {
		settled = ""
	}
	return collect(tx, `SELECT i.id, t.name, p.month, i.state, i.total_cents, i.settled_at FROM invoices i
		JOIN tenants t ON t.number = i.tenant JOIN periods p ON p.number = i.period
		WHERE ($1 = '' OR t.name = $1) AND (i.state <> 'SETTLED' OR $2 <> '') ORDER BY i.number`, func(row Row) Bill {
		return Bill{
			ID: row.Text(0), Tenant: row.Text(1), Month: row.Text(2), State: row.Text(3), Total: model.Cents(row.Int64(4)),
			SettledAt: timestamp(row, 5),
		}
	}, filter.Tenant, settled)
}

// OfferedOrder is a sell order in the operator's list.
type OfferedOrder struct {
	SellOrder
	Seller, ProjectID, Project, VintageID string
	Year                                  int
	// Sold is the quantity already bought, in grams; Quantity is still on offer.
	Sold model.Grams
}

// OrderFilter selects sell orders by state and by the seller's name. Empty means all.
type OrderFilter struct{ Seller, State string }

// Orders lists sell orders, oldest first.
func Orders(tx Tx, filter OrderFilter) []OfferedOrder {
	return collect(tx, `SELECT `+sellOrderColumns+`,
			t.name, p.id, p.name, v.id, v.year,
			CAST((SELECT coalesce(sum(quantity_grams), 0) FROM trades WHERE sell_order = o.number) AS BIGINT)
		FROM sell_orders o JOIN tenants t ON t.number = o.seller JOIN vintages v ON v.number = o.vintage
		JOIN projects p ON p.number = o.project
		WHERE ($1 = '' OR t.name = $1) AND ($2 = 'ALL' OR o.state = $2) ORDER BY o.number`, func(row Row) OfferedOrder {
		return OfferedOrder{
			SellOrder: readSellOrder(row), Seller: row.Text(8), ProjectID: row.Text(9), Project: row.Text(10),
			VintageID: row.Text(11),
			Year:      int(row.Int64(12)), Sold: grams(row, 13),
		}
	}, filter.Seller, filter.State)
}
