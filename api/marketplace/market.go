package marketplace

import (
	"net/http"
	"sync"

	"zombiezen.com/go/sqlite"

	"tonne/api/wire"
)

// getMarket answers GET /api/market: the sell orders that are live, grouped by
// project and vintage.
func (m *Marketplace) getMarket(w http.ResponseWriter, r *http.Request, _ caller) error {
	p := parameters{query: r.URL.Query()}
	page, perPage := p.page()
	if err := p.err(); err != nil {
		return err
	}
	var body []byte
	err := m.db.read(r.Context(), func(conn *sqlite.Conn) (err error) {
		body, err = m.marketPage(conn, page, perPage)
		return err
	})
	if err != nil {
		return err
	}
	m.answer(w, r, http.StatusOK, body)
	return nil
}

func (m *Marketplace) marketPage(conn *sqlite.Conn, page, perPage int) ([]byte, error) {
	projects, err := m.listing.projects(conn)
	if err != nil {
		return nil, err
	}
	first, end, position := pageOf(len(projects), page, perPage)
	enc := wire.NewMarketEncoder(nil)
	if first < end {
		if err := encodeOrders(conn, &enc, projects[first], projects[end-1]); err != nil {
			return nil, err
		}
	}
	return enc.Finish(position), nil
}

// encodeOrders writes the live orders of the projects with numbers from first
// to last. Projects in between that have none do not appear: so a page is one
// run through the index, wherever it lies.
func encodeOrders(conn *sqlite.Conn, enc *wire.MarketEncoder, first, last int64) error {
	stmt, err := conn.Prepare(`SELECT project, vintage, id, quantity_grams, price_cents FROM sell_orders
		WHERE state = 'LIVE' AND project BETWEEN ? AND ? ORDER BY project, vintage, price_cents, id`)
	if err != nil {
		return err
	}
	defer stmt.Reset()
	stmt.BindInt64(1, first)
	stmt.BindInt64(2, last)
	var project, vintage int64
	for {
		row, err := stmt.Step()
		if err != nil || !row {
			return err
		}
		if v := stmt.ColumnInt64(1); v != vintage {
			p := stmt.ColumnInt64(0)
			if err := encodeVintage(conn, enc, v, p != project); err != nil {
				return err
			}
			project, vintage = p, v
		}
		enc.Order(stmt.ColumnText(2), columnGrams(stmt, 3), columnPrice(stmt, 4))
	}
}

// encodeVintage starts a vintage and, where it is the first of its project,
// the project.
func encodeVintage(conn *sqlite.Conn, enc *wire.MarketEncoder, vintage int64, newProject bool) error {
	_, err := find(conn, `SELECT v.id, v.year, p.id FROM vintages v JOIN projects p ON p.number = v.project
		WHERE v.number = ?`, func(stmt *sqlite.Stmt) {
		if newProject {
			enc.Project(stmt.ColumnText(2))
		}
		enc.Vintage(stmt.ColumnText(0), stmt.ColumnInt(1))
	}, vintage)
	return err
}

// listing is the order of the projects that are in the market, so that a page
// is found by its position without counting the pages before it. It is read
// again when a project has entered or left the market.
type listing struct {
	mu      sync.Mutex
	version int64
	numbers []int64
}

// projects returns the numbers of the listed projects as the transaction of
// conn sees them. The slice is shared and not to be changed.
func (l *listing) projects(conn *sqlite.Conn) ([]int64, error) {
	var version int64
	if _, err := find(conn, "SELECT listing FROM market_state", func(stmt *sqlite.Stmt) {
		version = stmt.ColumnInt64(0)
	}); err != nil {
		return nil, err
	}
	l.mu.Lock()
	kept, numbers := l.version, l.numbers
	l.mu.Unlock()
	if kept == version {
		return numbers, nil
	}
	numbers = nil
	err := each(conn, "SELECT number FROM projects WHERE live_orders > 0 ORDER BY number", func(stmt *sqlite.Stmt) error {
		numbers = append(numbers, stmt.ColumnInt64(0))
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if version > l.version {
		l.version, l.numbers = version, numbers
	}
	return numbers, nil
}
