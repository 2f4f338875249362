package marketplace

import (
	"math"
	"net/http"

	"zombiezen.com/go/sqlite"

	"tonne/api/wire"
	"tonne/model"
)

// inventoryFilter is the query of GET /api/inventory besides its page.
type inventoryFilter struct {
	trades     int64
	tradeType  string
	minimumQty int64
}

// getInventory answers GET /api/inventory: the tenant's wallets with their
// trades.
func (m *Marketplace) getInventory(w http.ResponseWriter, r *http.Request, from caller) error {
	p := parametersOf(r)
	page, perPage := p.page()
	filter := inventoryFilter{
		trades:     p.number("trades_per_wallet", 0, math.MaxInt64),
		tradeType:  p.text("trade_type"),
		minimumQty: p.number("wallet_min_quantity", 0, 0),
	}
	switch filter.tradeType {
	case "", string(model.Buy), string(model.Sell):
	default:
		p.broken = append(p.broken, "trade_type must be BUY or SELL")
	}
	if err := p.err(); err != nil {
		return err
	}
	var body []byte
	err := m.db.read(r.Context(), func(conn *sqlite.Conn) error {
		numbers, err := heldProjects(conn, from.tenant, filter.minimumQty)
		if err != nil {
			return err
		}
		first, end, position := pageOf(len(numbers), page, perPage)
		projects, err := readInventory(conn, from.tenant, numbers[first:end], filter)
		body = wire.AppendInventory(nil, projects, position)
		return err
	})
	if err != nil {
		return err
	}
	m.answer(w, r, http.StatusOK, body)
	return nil
}

// heldProjects returns the numbers of the projects in which the tenant has a
// wallet of at least the minimum.
func heldProjects(conn *sqlite.Conn, tenant, minimum int64) ([]int64, error) {
	var numbers []int64
	err := each(conn, `SELECT DISTINCT project FROM wallets WHERE tenant = ? AND quantity_grams >= ? ORDER BY project`,
		func(stmt *sqlite.Stmt) error {
			numbers = append(numbers, stmt.ColumnInt64(0))
			return nil
		}, tenant, minimum)
	return numbers, err
}

func readInventory(conn *sqlite.Conn, tenant int64, numbers []int64, filter inventoryFilter) ([]model.InventoryProject, error) {
	projects := make([]model.InventoryProject, 0, len(numbers))
	for _, number := range numbers {
		p, err := readHoldings(conn, tenant, number, filter)
		if err != nil {
			return nil, err
		}
		projects = append(projects, p)
	}
	return projects, nil
}

func readHoldings(conn *sqlite.Conn, tenant, project int64, filter inventoryFilter) (model.InventoryProject, error) {
	var p model.InventoryProject
	var vintage int64
	err := each(conn, `SELECT p.id, w.vintage, v.id, w.type, w.quantity_grams
		FROM wallets w JOIN projects p ON p.number = w.project JOIN vintages v ON v.number = w.vintage
		WHERE w.tenant = ? AND w.project = ? AND w.quantity_grams >= ? ORDER BY w.vintage, w.type`,
		func(stmt *sqlite.Stmt) error {
			p.ID = stmt.ColumnText(0)
			if number := stmt.ColumnInt64(1); number != vintage {
				vintage = number
				p.Vintages = append(p.Vintages, model.InventoryVintage{ID: stmt.ColumnText(2)})
			}
			wallet := model.Wallet{Type: stmt.ColumnText(3), Quantity: columnGrams(stmt, 4)}
			var err error
			wallet.Trades, err = readTrades(conn, tenant, vintage, wallet.Type, filter)
			v := &p.Vintages[len(p.Vintages)-1]
			v.Wallets = append(v.Wallets, wallet)
			return err
		}, tenant, project, filter.minimumQty)
	return p, err
}

func readTrades(conn *sqlite.Conn, tenant, vintage int64, wallet string, filter inventoryFilter) ([]model.Trade, error) {
	var trades []model.Trade
	err := each(conn, `SELECT executed_at, quantity_grams, price_cents, type FROM trades
		WHERE tenant = ?1 AND vintage = ?2 AND wallet_type = ?3 AND (?4 = '' OR type = ?4)
		ORDER BY executed_at DESC, number DESC LIMIT ?5`,
		func(stmt *sqlite.Stmt) error {
			trades = append(trades, model.Trade{
				ExecutionDate: timestamp(stmt, 0), Quantity: columnGrams(stmt, 1), Price: columnPrice(stmt, 2),
				Type: model.TradeType(stmt.ColumnText(3)),
			})
			return nil
		}, tenant, vintage, wallet, filter.tradeType, filter.trades)
	return trades, err
}
