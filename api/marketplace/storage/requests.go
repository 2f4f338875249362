package storage

import (
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

const selectRequests = `SELECT r.number, r.id, r.tenant, r.vintage, r.period, r.type, r.status, r.total_grams, r.external_customer
	FROM retirement_requests r `

func request(row Row) exchange.Request {
	return exchange.Request{
		Number: row.Int64(0), ID: row.Text(1), Tenant: row.Int64(2), Vintage: row.Int64(3), Period: row.Int64(4),
		Type: model.RetirementType(row.Text(5)), Status: model.RetirementStatus(row.Text(6)), Total: grams(row, 7),
		External: row.Bool(8),
	}
}

func (b *books) request(where string, args ...any) (exchange.Request, bool, error) {
	return one(b, selectRequests+where, request, args...)
}

func (b *books) Request(id string) (exchange.Request, bool, error) {
	return b.request("WHERE r.id = $1", id)
}

func (b *books) GatheringRequest(tenant, vintage int64, p exchange.Period) (exchange.Request, bool, error) {
	return b.request("WHERE r.tenant = $1 AND r.vintage = $2 AND r.period = $3 AND r.type = 'FRACTIONALISED'", tenant, vintage, p.Number)
}

func (b *books) GatheringRequests() ([]exchange.Request, error) {
	return collect(b, selectRequests+"WHERE r.status = 'OPEN' AND r.retired_at IS NULL ORDER BY r.number", request)
}

func (b *books) RequestsInProgress() ([]exchange.Request, error) {
	return collect(b, selectRequests+"WHERE r.status = 'IN_PROGRESS' AND r.retired_at IS NULL ORDER BY r.number", request)
}

func (b *books) RequestsWaitingFor(i exchange.Invoice) ([]exchange.Request, error) {
	return collect(b, selectRequests+"WHERE r.tenant = $1 AND r.status = 'CLOSED' AND r.retired_at IS NULL ORDER BY r.number",
		request, i.Tenant)
}

func (b *books) AddRequest(r exchange.Request, at time.Time) (int64, error) {
	return b.Insert(`INSERT INTO retirement_requests
		(id, tenant, vintage, period, type, status, total_grams, external_customer, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		r.ID, r.Tenant, r.Vintage, r.Period, r.Type, r.Status, r.Total, r.External, at.UnixMilli())
}

func (b *books) SetTotal(r exchange.Request) error {
	return b.Do("UPDATE retirement_requests SET total_grams = $1 WHERE number = $2", r.Total, r.Number)
}

// CloseRequest takes down when a request stopped gathering, with how much, and
// after which of the trades that it may wait for. It looks at no others: they
// would keep it from going on beside those who make them.
func (b *books) CloseRequest(r exchange.Request, total model.Grams, at time.Time) error {
	return b.Do(`UPDATE retirement_requests SET total_grams = $1, closed_at = $2, closed_after =
			(SELECT coalesce(max((SELECT max(t.number) FROM trades t WHERE t.invoice = i.number AND t.vintage = $3)), 0)
			FROM invoices i WHERE i.tenant = $4 AND i.state <> 'SETTLED')
		WHERE number = $5`, total, at.UnixMilli(), r.Vintage, r.Tenant, r.Number)
}

func (b *books) MoveRequest(r exchange.Request, from, to model.RetirementStatus) (moved bool, err error) {
	n, err := b.Exec("UPDATE retirement_requests SET status = $1 WHERE number = $2 AND status || '' = $3", to, r.Number, from)
	return n == 1, err
}

func (b *books) CompleteRequest(r exchange.Request, certificate string, at time.Time) error {
	return b.Do("UPDATE retirement_requests SET status = 'COMPLETE', retired_at = $1, certificate = $2 WHERE number = $3",
		at.UnixMilli(), certificate, r.Number)
}

// IsSettled reports whether every invoice is paid that holds a purchase of the
// request's vintage from before the request closed. Whoever settles one of those
// that are not, and does not see the request, settles it before or after this.
func (b *books) IsSettled(r exchange.Request) (bool, error) {
	err := b.QueryKept("SELECT number FROM invoices WHERE tenant = $1 AND state <> 'SETTLED'", func(Row) error { return nil }, r.Tenant)
	if err != nil {
		return false, err
	}
	return isSettled(b, r.Number)
}

func isSettled(tx Tx, request int64) (bool, error) {
	waits, err := exists(tx, `SELECT 1 FROM retirement_requests r CROSS JOIN invoices i CROSS JOIN trades t
		WHERE r.number = $1 AND i.tenant = r.tenant AND i.state <> 'SETTLED' AND t.invoice = i.number AND t.vintage = r.vintage
		AND t.number <= coalesce(r.closed_after, t.number) LIMIT 1`, request)
	return !waits, err
}

func (b *books) FirstRequest(tenant int64, externalID string) (string, bool, error) {
	return one(b, `SELECT r.id FROM external_ids e JOIN retirement_requests r ON r.number = e.request
		WHERE e.tenant = $1 AND e.external_id = $2`, firstText, tenant, externalID)
}

func (b *books) AddExternalID(tenant int64, externalID string, r exchange.Request, item int64) error {
	return b.Do("INSERT INTO external_ids (tenant, external_id, request, item) VALUES ($1, $2, $3, $4)",
		tenant, externalID, r.Number, item)
}

func (b *books) Issuance(vintage int64) (of exchange.Issuance, err error) {
	_, err = find(b, `SELECT r.name, p.registry_number, p.country, p.type, v.year, v.next_serial, v.serial_batch
		FROM vintages v JOIN projects p ON p.number = v.project JOIN registries r ON r.number = p.registry
		WHERE v.number = $1`, func(row Row) {
		of = exchange.Issuance{
			Registry: row.Text(0), Project: row.Text(1), Country: row.Text(2), Kind: row.Text(3), Year: int(row.Int64(4)),
			Next: row.Int64(5), BatchSize: row.Int64(6),
		}
	}, vintage)
	return of, err
}

func (b *books) SetNextSerial(vintage, next int64) error {
	return b.Do("UPDATE vintages SET next_serial = $1 WHERE number = $2", next, vintage)
}

func (b *books) AddSerials(r exchange.Request, ranges []exchange.SerialRange) error {
	for i, s := range ranges {
		if err := b.Do("INSERT INTO serial_numbers (request, position, serial, tonnes) VALUES ($1, $2, $3, $4)",
			r.Number, i+1, s.Serial, s.Tonnes); err != nil {
			return err
		}
	}
	return nil
}
