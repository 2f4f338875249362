package marketplace

import (
	"net/http"
	"strings"

	"zombiezen.com/go/sqlite"

	"tonne/api/wire"
	"tonne/model"
)

// getRetirement answers GET /api/retirement.
func (m *Marketplace) getRetirement(w http.ResponseWriter, r *http.Request, from caller) error {
	p := parametersOf(r)
	id := p.text("id")
	if err := p.err(); err != nil {
		return err
	}
	return m.answerRetirement(w, r, from, id)
}

// postRetirement answers POST /api/retirement: the interface shows both
// methods. The id may also stand in a JSON body.
func (m *Marketplace) postRetirement(w http.ResponseWriter, r *http.Request, from caller) error {
	p := parametersOf(r)
	id := p.text("id")
	if err := p.err(); err != nil {
		return err
	}
	if id == "" {
		body, err := requestBody(r)
		if err != nil {
			return err
		}
		if id, err = body.Text("id"); err != nil {
			return invalid("id " + err.Error())
		}
	}
	return m.answerRetirement(w, r, from, id)
}

func (m *Marketplace) answerRetirement(w http.ResponseWriter, r *http.Request, from caller, id string) error {
	if id == "" {
		return invalid("id must be a string that is not empty")
	}
	if err := m.catchUp(r.Context()); err != nil {
		return err
	}
	var retirement model.Retirement
	var found bool
	err := m.db.read(r.Context(), func(conn *sqlite.Conn) (err error) {
		retirement, found, err = readRetirement(conn, from.tenant, id, m.certificateBase(r))
		return err
	})
	if err != nil {
		return err
	}
	if !found {
		return refuse(notFound, "There is no retirement request with this id")
	}
	m.answer(w, r, http.StatusOK, wire.AppendRetirement(nil, retirement))
	return nil
}

// certificateBase is what the links to certificates begin with.
func (m *Marketplace) certificateBase(r *http.Request) string {
	base := strings.TrimRight(m.options.PublicURL, "/")
	if base == "" {
		scheme := "http://"
		if r.TLS != nil {
			scheme = "https://"
		}
		base = scheme + r.Host
	}
	return base + "/certificates/"
}

func readRetirement(conn *sqlite.Conn, tenant int64, id, certificates string) (r model.Retirement, found bool, err error) {
	var number int64
	found, err = find(conn, `SELECT r.number, r.id, r.status, r.total_grams, r.type, p.id, v.id, r.created_at, r.retired_at,
			r.certificate, r.external_customer
		FROM retirement_requests r JOIN vintages v ON v.number = r.vintage JOIN projects p ON p.number = v.project
		WHERE r.id = ? AND r.tenant = ?`, func(stmt *sqlite.Stmt) {
		number = stmt.ColumnInt64(0)
		r = model.Retirement{
			ID: stmt.ColumnText(1), Status: model.RetirementStatus(stmt.ColumnText(2)), TotalQuantity: columnGrams(stmt, 3),
			Type: model.RetirementType(stmt.ColumnText(4)), ProjectID: stmt.ColumnText(5), VintageID: stmt.ColumnText(6),
			CreatedAt: timestamp(stmt, 7), RetiredAt: timestamp(stmt, 8), ExternalCustomer: model.AnswerOf(stmt.ColumnBool(10)),
		}
		if token := stmt.ColumnText(9); token != "" {
			r.CertificateURL = certificates + token + ".pdf"
		}
	}, id, tenant)
	if err != nil || !found {
		return r, found, err
	}
	done, err := settled(conn, number)
	if err != nil {
		return r, found, err
	}
	r.AllInvoicesSettled = model.AnswerOf(done)
	if r.Items, err = readItems(conn, number); err != nil {
		return r, found, err
	}
	r.SerialNumbers, err = readSerials(conn, number)
	return r, found, err
}

func readItems(conn *sqlite.Conn, request int64) ([]model.RetirementItem, error) {
	var items []model.RetirementItem
	err := each(conn, `SELECT i.id, i.quantity_grams, i.created_at, i.retiree_name, i.retiree_tax_id, i.retiree_country, v.id, t.id
		FROM retirement_items i LEFT JOIN trades t ON t.number = i.trade LEFT JOIN invoices v ON v.number = t.invoice
		WHERE i.request = ? ORDER BY i.number`, func(stmt *sqlite.Stmt) error {
		items = append(items, model.RetirementItem{
			ID: stmt.ColumnText(0), Quantity: columnGrams(stmt, 1), CreatedAt: timestamp(stmt, 2), RetireeName: stmt.ColumnText(3),
			RetireeTaxID: stmt.ColumnText(4), RetireeCountry: stmt.ColumnText(5), InvoiceID: stmt.ColumnText(6), TradeID: stmt.ColumnText(7),
		})
		return nil
	}, request)
	return items, err
}

func readSerials(conn *sqlite.Conn, request int64) ([]string, error) {
	var serials []string
	err := each(conn, "SELECT serial FROM serial_numbers WHERE request = ? ORDER BY position", func(stmt *sqlite.Stmt) error {
		serials = append(serials, stmt.ColumnText(0))
		return nil
	}, request)
	return serials, err
}
