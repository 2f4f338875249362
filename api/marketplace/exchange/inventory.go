package exchange

import (
	"tonne/model"
	"tonne/model/portfolio"
)

// InventoryFilter selects a part of an inventory.
type InventoryFilter struct {
	// Trades is the maximum number of trades per wallet, newest first.
	Trades int64
	// TradeType is the type of the trades; empty means any.
	TradeType string
	// Minimum is the minimum balance of a wallet.
	Minimum model.Grams
}

// HeldProjects returns the numbers of the projects in which the tenant has a wallet of at
// least the minimum.
func HeldProjects(tx Tx, tenant int64, minimum model.Grams) []int64 {
	return collect(tx, "SELECT DISTINCT project FROM wallets WHERE tenant = $1 AND quantity_grams >= $2 ORDER BY project",
		firstNumber, tenant, minimum)
}

// Inventory returns the tenant's wallets in projects.
func Inventory(tx Tx, tenant int64, projects []int64, filter InventoryFilter) []portfolio.Project {
	all := make([]portfolio.Project, len(projects))
	for i, number := range projects {
		all[i] = holdings(tx, tenant, number, filter)
	}
	return all
}

func holdings(tx Tx, tenant, project int64, filter InventoryFilter) (p portfolio.Project) {
	var vintages []int64
	tx.Query(`SELECT p.id, w.vintage, v.id, w.type, w.quantity_grams
		FROM wallets w JOIN projects p ON p.number = w.project JOIN vintages v ON v.number = w.vintage
		WHERE w.tenant = $1 AND w.project = $2 AND w.quantity_grams >= $3 ORDER BY w.vintage, w.type`, func(row Row) {
		p.ID = row.Text(0)
		last := len(vintages) - 1
		if number := row.Int64(1); last < 0 || vintages[last] != number {
			vintages = append(vintages, number)
			p.Vintages = append(p.Vintages, portfolio.Vintage{ID: row.Text(2)})
			last++
		}
		v := &p.Vintages[last]
		v.Wallets = append(v.Wallets, portfolio.Wallet{Type: row.Text(3), Quantity: grams(row, 4)})
	}, tenant, project, filter.Minimum)
	for i, v := range p.Vintages {
		for j := range v.Wallets {
			v.Wallets[j].Trades = trades(tx, tenant, vintages[i], v.Wallets[j].Type, filter)
		}
	}
	return p
}

func trades(tx Tx, tenant, vintage int64, wallet string, filter InventoryFilter) []portfolio.Trade {
	return collect(tx, `SELECT executed_at, quantity_grams, price_cents, type FROM trades
		WHERE tenant = $1 AND vintage = $2 AND wallet_type = $3 AND ($4 = '' OR type = $4)
		ORDER BY executed_at DESC, number DESC LIMIT $5`, func(row Row) portfolio.Trade {
		return portfolio.Trade{
			ExecutionDate: timestamp(row, 0), Quantity: grams(row, 1), Price: price(row, 2),
			Type: portfolio.TradeType(row.Text(3)),
		}
	}, tenant, vintage, wallet, filter.TradeType, filter.Trades)
}
