package exchange

import (
	"fmt"

	"tonne/model"
)

// Market identifies a state of the whole market. Equal values mean the same contents.
type Market struct {
	// Version grows with every change of a sell order, Listing by a random step whenever
	// a project enters or leaves the market. Every version has a random Mark.
	Version, Listing, Mark int64
}

// ReadMarket returns the current state of the market.
func ReadMarket(tx Tx) Market {
	return one(tx, "SELECT version, listing, mark FROM market_state", func(row Row) Market {
		return Market{Version: row.Int64(0), Listing: row.Int64(1), Mark: row.Int64(2)}
	})
}

// Token identifies the state as an opaque text for clients.
func (m Market) Token() string { return fmt.Sprintf("%x-%x", m.Version, uint64(m.Mark)) }

// Changes sums up the versions of some projects. Equal values mean unchanged projects.
type Changes struct{ versions, marks int64 }

// ChangesOf returns the changes of the projects with numbers from first to last.
func ChangesOf(tx Tx, first, last int64) (c Changes) {
	tx.Query("SELECT version, mark FROM market_projects WHERE project BETWEEN $1 AND $2", func(row Row) {
		c.versions += row.Int64(0)
		c.marks ^= row.Int64(1)
	}, first, last)
	return c
}

// ListedProjects returns the numbers of the projects with live orders, in the order of the
// market.
func ListedProjects(tx Tx) []int64 {
	return collect(tx, "SELECT number FROM projects WHERE live_orders > 0 ORDER BY number", firstNumber)
}

// MarketEncoder receives the orders of the market, each after its project and vintage. It
// must copy the id of an order, because EncodeMarket reuses the slice.
type MarketEncoder interface {
	Project(id string)
	Vintage(id string, year int)
	Order(id []byte, quantity model.Grams, price model.PriceCents)
}

// EncodeMarket passes the live orders of the projects with numbers from first to last to enc.
// Any page of the market is one index scan.
func EncodeMarket(tx Tx, enc MarketEncoder, first, last int64) {
	vintages := readVintages(tx, first, last)
	at, project := -1, int64(0)
	var id [64]byte
	tx.Query(`SELECT vintage, id, quantity_grams, price_cents FROM sell_orders
		WHERE state = 'LIVE' AND project BETWEEN $1 AND $2 ORDER BY project, vintage, price_cents, id`, func(row Row) {
		if number := row.Int64(0); at < 0 || vintages[at].number != number {
			for at++; at < len(vintages) && vintages[at].number != number; at++ {
			}
			if at == len(vintages) {
				tx.Fail(fmt.Errorf("the vintage %d of a live sell order is missing", number))
				return
			}
			v := vintages[at]
			if v.project != project {
				enc.Project(v.projectID)
				project = v.project
			}
			enc.Vintage(v.id, v.year)
		}
		n := row.Bytes(1, id[:])
		enc.Order(id[:n], grams(row, 2), price(row, 3))
	}, first, last)
}

type marketVintage struct {
	number, project int64
	id, projectID   string
	year            int
}

// A join would look up a project once per vintage.
func readVintages(tx Tx, first, last int64) []marketVintage {
	projects := make(map[int64]string)
	tx.Query("SELECT number, id FROM projects WHERE number BETWEEN $1 AND $2", func(row Row) {
		projects[row.Int64(0)] = row.Text(1)
	}, first, last)
	return collect(tx,
		"SELECT number, id, year, project FROM vintages WHERE project BETWEEN $1 AND $2 ORDER BY project, number",
		func(row Row) marketVintage {
			project := row.Int64(3)
			return marketVintage{row.Int64(0), project, row.Text(1), projects[project], int(row.Int64(2))}
		}, first, last)
}
