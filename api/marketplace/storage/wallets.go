package storage

import (
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

func (b *books) Balance(tenant int64, v exchange.Vintage) (model.Grams, error) {
	n, err := number(b, "SELECT quantity_grams FROM wallets WHERE tenant = $1 AND project = $2 AND vintage = $3 AND type = $4",
		tenant, v.Project, v.Number, model.WalletCAAS)
	return model.Grams(n), err
}

func (b *books) SetBalance(tenant int64, v exchange.Vintage, grams model.Grams) error {
	return b.Do(`INSERT INTO wallets (tenant, project, vintage, type, quantity_grams) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant, project, vintage, type) DO UPDATE SET quantity_grams = excluded.quantity_grams`,
		tenant, v.Project, v.Number, model.WalletCAAS, grams)
}

func (b *books) AddTrade(t exchange.Trade, at time.Time) (int64, error) {
	return b.Insert(`INSERT INTO trades
		(id, tenant, vintage, wallet_type, sell_order, invoice, type, quantity_grams, price_cents, executed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, t.ID, t.Tenant, t.Order.Vintage.Number, model.WalletCAAS,
		t.Order.Number, t.Invoice, model.Buy, t.Quantity, t.Order.Price, at.UnixMilli())
}
