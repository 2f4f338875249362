package marketplace

import (
	"fmt"
	"net/http"

	"zombiezen.com/go/sqlite"

	"tonne/api/wire"
)

// getMarket answers GET /api/market: the sell orders that are live, grouped by
// project and vintage.
func (m *Marketplace) getMarket(w http.ResponseWriter, r *http.Request, _ caller) error {
	p := parametersOf(r)
	page, perPage := p.page()
	if err := p.err(); err != nil {
		return err
	}
	var made *marketPage
	err := m.db.read(r.Context(), func(conn *sqlite.Conn) (err error) {
		made, err = m.pages.get(conn, pageKey{page, perPage}, func() ([]byte, bool, error) {
			return m.marketPage(conn, page, perPage)
		})
		return err
	})
	if err != nil {
		return err
	}
	answerJSON(w, r, http.StatusOK, made.plain, made.compressed)
	return nil
}

// marketPage writes a page and reports whether it shows anything: there is no
// end to the pages beyond the last.
func (m *Marketplace) marketPage(conn *sqlite.Conn, page, perPage int) (body []byte, some bool, err error) {
	projects, err := m.listing.projects(conn)
	if err != nil {
		return nil, false, err
	}
	first, end, position := pageOf(len(projects), page, perPage)
	enc := wire.NewMarketEncoder(make([]byte, 0, (end-first)*bytesPerProject+bytesPerPage))
	if first < end {
		if err := encodeOrders(conn, &enc, projects[first], projects[end-1]); err != nil {
			return nil, false, err
		}
	}
	return enc.Finish(position), first < end, nil
}

// What a project of fifty orders takes in a page, and what a page takes beside
// its projects.
const (
	bytesPerProject = 5 << 10
	bytesPerPage    = 256
)

// encodeOrders writes the live orders of the projects with numbers from first
// to last. Projects in between that have none do not appear: so a page is one
// run through the index, wherever it lies. Vintages are read beside it, in the
// same order.
func encodeOrders(conn *sqlite.Conn, enc *wire.MarketEncoder, first, last int64) error {
	orders, err := between(conn, `SELECT vintage, id, quantity_grams, price_cents FROM sell_orders
		WHERE state = 'LIVE' AND project BETWEEN ? AND ? ORDER BY project, vintage, price_cents, id`, first, last)
	if err != nil {
		return err
	}
	defer orders.Reset()
	vintages, err := between(conn, `SELECT v.number, v.id, v.year, p.number, p.id FROM vintages v JOIN projects p ON p.number = v.project
		WHERE v.project BETWEEN ? AND ? ORDER BY v.project, v.number`, first, last)
	if err != nil {
		return err
	}
	defer vintages.Reset()
	var project, vintage int64
	var id [64]byte
	for {
		row, err := orders.Step()
		if err != nil || !row {
			return err
		}
		if number := orders.ColumnInt64(0); number != vintage {
			if project, err = encodeVintage(enc, vintages, number, project); err != nil {
				return err
			}
			vintage = number
		}
		n := orders.ColumnBytes(1, id[:])
		enc.Order(id[:n], columnGrams(orders, 2), columnPrice(orders, 3))
	}
}

// between prepares a query of the projects with numbers from first to last.
func between(conn *sqlite.Conn, query string, first, last int64) (*sqlite.Stmt, error) {
	stmt, err := conn.Prepare(query)
	if err != nil {
		return nil, err
	}
	stmt.BindInt64(1, first)
	stmt.BindInt64(2, last)
	return stmt, nil
}

// encodeVintage goes forward to a vintage and starts it and, where it is the
// first of its project, the project. It returns the number of that.
func encodeVintage(enc *wire.MarketEncoder, vintages *sqlite.Stmt, vintage, project int64) (int64, error) {
	for {
		row, err := vintages.Step()
		if err != nil {
			return 0, err
		}
		if !row {
			return 0, fmt.Errorf("vintage %d of a live sell order is not there", vintage)
		}
		if vintages.ColumnInt64(0) != vintage {
			continue
		}
		if p := vintages.ColumnInt64(3); p != project {
			enc.Project(vintages.ColumnText(4))
			project = p
		}
		enc.Vintage(vintages.ColumnText(1), vintages.ColumnInt(2))
		return project, nil
	}
}
