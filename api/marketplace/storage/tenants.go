package storage

import "tonne/api/marketplace/exchange"

const selectTenants = "SELECT number, name, tax_id, country, role FROM tenants "

func tenant(row Row) exchange.Tenant {
	return exchange.Tenant{
		Number: row.Int64(0), Role: row.Text(4),
		Retiree: exchange.Retiree{Name: row.Text(1), TaxID: row.Text(2), Country: row.Text(3)},
	}
}

func (b *books) FindTenant(name string) (exchange.Tenant, bool, error) {
	return one(b, selectTenants+"WHERE name = $1", tenant, name)
}

func (b *books) ChangeTenant(t exchange.Tenant) error {
	return b.Do("UPDATE tenants SET name = $1, tax_id = $2, country = $3, role = $4 WHERE number = $5",
		t.Name, optional(t.TaxID), optional(t.Country), t.Role, t.Number)
}

// TenantKeys is a tenant with how many active keys it has.
type TenantKeys struct {
	exchange.Tenant
	ActiveKeys int
}

// Tenants lists the tenants in the order in which they came.
func Tenants(tx Tx) ([]TenantKeys, error) {
	return collect(tx, `SELECT number, name, tax_id, country, role,
			(SELECT count(*) FROM api_keys k WHERE k.tenant = tenants.number AND k.is_active = 1)
		FROM tenants ORDER BY number`, func(row Row) TenantKeys {
		return TenantKeys{tenant(row), int(row.Int64(5))}
	})
}
