package storage

import (
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

func (b *books) Items(of exchange.Request) ([]exchange.Item, error) {
	return collect(b, "SELECT number, quantity_grams FROM retirement_items WHERE request = $1 ORDER BY number",
		func(row Row) exchange.Item { return exchange.Item{Number: row.Int64(0), Quantity: grams(row, 1)} }, of.Number)
}

func (b *books) AddItem(i exchange.NewItem, at time.Time) (int64, error) {
	return b.Insert(`INSERT INTO retirement_items
		(id, request, quantity_grams, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, i.ID, i.Request, i.Quantity, at.UnixMilli(),
		optional(i.Retiree.Name), optional(i.Retiree.TaxID), optional(i.Retiree.Country), optional(i.RetireeID), optional(i.Trade))
}

func (b *books) MoveItem(i exchange.Item, to exchange.Request) error {
	return b.Do("UPDATE retirement_items SET request = $1 WHERE number = $2", to.Number, i.Number)
}

func (b *books) SplitItem(i exchange.Item, keep model.Grams, to exchange.Request, id string) error {
	if err := b.Do(`INSERT INTO retirement_items
		(id, request, quantity_grams, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade)
		SELECT $1, $2, $3, created_at, retiree_name, retiree_tax_id, retiree_country, external_retiree_id, trade
		FROM retirement_items WHERE number = $4`, id, to.Number, i.Quantity-keep, i.Number); err != nil {
		return err
	}
	return b.Do("UPDATE retirement_items SET quantity_grams = $1 WHERE number = $2", keep, i.Number)
}
