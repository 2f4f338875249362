package storage

import (
	"time"

	"tonne/api/marketplace/exchange"
)

// NewBooks are what the exchange keeps, in a transaction that writes. Their
// contract stands with the rules.
func NewBooks(tx Tx) exchange.Books { return &books{tx} }

type books struct{ Tx }

func (b *books) Audit(at time.Time, actor, action, subject, detail string) error {
	return b.Do("INSERT INTO audit (at, actor, action, subject, detail) VALUES ($1, $2, $3, $4, $5)",
		at.UnixMilli(), actor, action, subject, detail)
}

func (b *books) Tenant(name string) (int64, bool, error) {
	return one(b, "SELECT number FROM tenants WHERE name = $1", firstNumber, name)
}

func (b *books) AddTenant(who exchange.Retiree) (int64, error) {
	return b.Insert("INSERT INTO tenants (name, tax_id, country) VALUES ($1, $2, $3)",
		who.Name, optional(who.TaxID), optional(who.Country))
}

func (b *books) OwnRetiree(tenant int64) (who exchange.Retiree, err error) {
	who, _, err = one(b, "SELECT name, tax_id, country FROM tenants WHERE number = $1", retiree, tenant)
	return who, err
}

func (b *books) Vintage(id string) (exchange.Vintage, bool, error) {
	return one(b, "SELECT number, project FROM vintages WHERE id = $1", func(row Row) exchange.Vintage {
		return exchange.Vintage{Number: row.Int64(0), Project: row.Int64(1)}
	}, id)
}

func retiree(row Row) exchange.Retiree {
	return exchange.Retiree{Name: row.Text(0), TaxID: row.Text(1), Country: row.Text(2)}
}
