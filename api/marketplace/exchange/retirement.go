package exchange

import (
	"tonne/model"
	"tonne/model/retirement"
)

// Retirement returns a retirement request of a tenant, or the zero value if there is none.
// certificates is the base URL of the link to the certificate.
func Retirement(tx Tx, tenant int64, id, certificates string) retirement.Request {
	var number int64
	r := one(tx, "SELECT "+retirementColumns+`, r.certificate
		FROM retirement_requests r JOIN vintages v ON v.number = r.vintage JOIN projects p ON p.number = v.project
		WHERE r.id = $1 AND r.tenant = $2`, func(row Row) retirement.Request {
		number = row.Int64(0)
		r := readRetirement(row)
		if token := row.Text(10); token != "" {
			r.CertificateURL = certificates + token + ".pdf"
		}
		return r
	}, id, tenant)
	if number == 0 {
		return r
	}
	r.AllInvoicesSettled = model.BoolOf(isSettled(tx, number))
	r.Items = retirementItems(tx, number)
	for _, s := range serialRanges(tx, number) {
		r.SerialNumbers = append(r.SerialNumbers, s.Serial)
	}
	return r
}

const retirementColumns = `r.number, r.id, r.status, r.total_grams, r.type, p.id, v.id, r.created_at, r.retired_at,
	r.external_customer`

func readRetirement(row Row) retirement.Request {
	return retirement.Request{
		ID: row.Text(1), Status: retirement.Status(row.Text(2)), TotalQuantity: grams(row, 3),
		Type: retirement.Type(row.Text(4)), ProjectID: row.Text(5), VintageID: row.Text(6),
		CreatedAt: timestamp(row, 7), RetiredAt: timestamp(row, 8), ExternalCustomer: model.BoolOf(row.Bool(9)),
	}
}

func retirementItems(tx Tx, request int64) []retirement.Item {
	return collect(tx,
		`SELECT i.id, i.quantity_grams, i.created_at, i.retiree_name, i.retiree_tax_id, i.retiree_country, v.id, t.id
		FROM retirement_items i LEFT JOIN trades t ON t.number = i.trade LEFT JOIN invoices v ON v.number = t.invoice
		WHERE i.request = $1 ORDER BY i.number`, func(row Row) retirement.Item {
			return retirement.Item{
				ID: row.Text(0), Quantity: grams(row, 1), CreatedAt: timestamp(row, 2), RetireeName: row.Text(3),
				RetireeTaxID: row.Text(4), RetireeCountry: row.Text(5), InvoiceID: row.Text(6), TradeID: row.Text(7),
			}
		}, request)
}

func serialRanges(tx Tx, request int64) []SerialRange {
	return collect(tx, "SELECT serial, tonnes FROM serial_numbers WHERE request = $1 ORDER BY position",
		func(row Row) SerialRange {
			return SerialRange{Serial: row.Text(0), Tonnes: row.Int64(1)}
		}, request)
}

// Certificate is the contents of a retirement certificate.
type Certificate struct {
	Retirement  retirement.Request
	Project     model.Project
	VintageYear int
	// RegistryProject is the project's number in its registry.
	RegistryProject string
	Ranges          []SerialRange
	// Synthetic marks demo data. The certificate shows it.
	Synthetic bool
}

// CertificateFile returns the registry's own certificate and the id of its request, or "" if
// there is none.
func CertificateFile(tx Tx, name string) (id string, pdf []byte) {
	id = one(tx, `SELECT r.id, f.pdf FROM retirement_requests r JOIN certificate_files f ON f.request = r.number
		WHERE r.certificate = $1`, func(row Row) string {
		pdf, _ = row.Value(1).([]byte)
		return row.Text(0)
	}, name)
	return id, pdf
}

// FindCertificate returns the contents of a certificate, or the zero value if there is none.
func FindCertificate(tx Tx, name string) Certificate {
	var request, tenant, number int64
	var id, project string
	c := one(tx, `SELECT r.tenant, r.id, p.id, p.registry_number, v.year,
			EXISTS (SELECT 1 FROM demo_vintages), r.number, p.number
		FROM retirement_requests r JOIN vintages v ON v.number = r.vintage JOIN projects p ON p.number = v.project
		WHERE r.certificate = $1`, func(row Row) Certificate {
		tenant, id, project, request, number = row.Int64(0), row.Text(1), row.Text(2), row.Int64(6), row.Int64(7)
		return Certificate{RegistryProject: row.Text(3), VintageYear: int(row.Int64(4)), Synthetic: row.Bool(5)}
	}, name)
	if request == 0 {
		return c
	}
	c.Retirement = Retirement(tx, tenant, id, "")
	for _, p := range Projects(tx, project) {
		c.Project = p
	}
	c.setFormer(tx, number)
	c.Ranges = serialRanges(tx, request)
	return c
}

func (c *Certificate) setFormer(tx Tx, project int64) {
	tx.Query(`SELECT name, type, country, registry_name, registry_number, registry_url FROM former_projects
		WHERE project = $1 AND until > $2 ORDER BY until, number LIMIT 1`, func(row Row) {
		p := &c.Project
		p.Name, p.Type, p.Country, p.RegistryName = row.Text(0), row.Text(1), row.Text(2), row.Text(3)
		c.RegistryProject, p.RegistryURL = row.Text(4), row.Text(5)
	}, project, c.Retirement.RetiredAt.Time.UnixMilli())
}
