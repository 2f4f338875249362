package exchange

import (
	"fmt"

	"tonne/model"
)

// Market is a state of the whole market. Two that are equal show the same.
type Market struct {
	// Version grows with every change of a sell order, Listing by a random step
	// whenever a project enters or leaves the market. Mark is random for each
	// version.
	Version, Listing, Mark int64
}

// ReadMarket returns the state that the market is in.
func ReadMarket(tx Tx) Market {
	return one(tx, "SELECT version, listing, mark FROM market_state", func(row Row) Market {
		return Market{Version: row.Int64(0), Listing: row.Int64(1), Mark: row.Int64(2)}
	})
}

// Token names the state, for whoever is only to tell it from others.
func (m Market) Token() string { return fmt.Sprintf("%x-%x", m.Version, uint64(m.Mark)) }

// Changes are what projects have been through: while they stay, so do the
// projects.
type Changes struct{ versions, marks int64 }

// ChangesOf returns the changes of the projects with numbers from first to last.
func ChangesOf(tx Tx, first, last int64) (c Changes) {
	tx.Query("SELECT version, mark FROM market_projects WHERE project BETWEEN $1 AND $2", func(row Row) {
		c.versions += row.Int64(0)
		c.marks ^= row.Int64(1)
	}, first, last)
	return c
}

// ListedProjects returns the numbers of the projects in the market, in its order.
func ListedProjects(tx Tx) []int64 {
	return collect(tx, "SELECT number FROM projects WHERE live_orders > 0 ORDER BY number", firstNumber)
}

// MarketEncoder takes the orders of the market as they are read, each after
// its project and vintage. The id of an order is overwritten afterwards.
type MarketEncoder interface {
	Project(id string)
	Vintage(id string, year int)
	Order(id []byte, quantity model.Grams, price model.PriceCents)
}

// EncodeMarket hands over the live orders of the projects with numbers from first to
// last: a page is one run through the index, wherever it lies.
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
				tx.Fail(fmt.Errorf("vintage %d of a live sell order is not there", number))
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

// A join would look a project up once for each of its vintages.
func readVintages(tx Tx, first, last int64) []marketVintage {
	projects := make(map[int64]string)
	tx.Query("SELECT number, id FROM projects WHERE number BETWEEN $1 AND $2", func(row Row) {
		projects[row.Int64(0)] = row.Text(1)
	}, first, last)
	return collect(tx, "SELECT number, id, year, project FROM vintages WHERE project BETWEEN $1 AND $2 ORDER BY project, number",
		func(row Row) marketVintage {
			project := row.Int64(3)
			return marketVintage{row.Int64(0), project, row.Text(1), projects[project], int(row.Int64(2))}
		}, first, last)
}
