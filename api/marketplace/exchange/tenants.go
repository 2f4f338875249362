package exchange

import (
	"cmp"
	"errors"
)

var (
	// ErrUnknownTenant is returned for a name that no tenant has.
	ErrUnknownTenant = errors.New("there is no tenant with that name")
	// ErrTenantExists is returned for a name that a tenant has already.
	ErrTenantExists = errors.New("there is already a tenant with that name")
)

// Tenant is a tenant of the marketplace.
type Tenant struct {
	Number int64
	// Retiree is the beneficiary of retirements on the tenant's own behalf.
	Retiree
	// Role is the default role of new keys.
	Role       string
	ActiveKeys int
}

const selectTenants = `SELECT number, name, tax_id, country, role,
		(SELECT count(*) FROM api_keys k WHERE k.tenant = tenants.number AND k.is_active = 1)
	FROM tenants `

func tenant(row Row) Tenant {
	return Tenant{
		Number: row.Int64(0), Retiree: Retiree{row.Text(1), row.Text(2), row.Text(3)}, Role: row.Text(4),
		ActiveKeys: int(row.Int64(5)),
	}
}

// Tenants lists the tenants, oldest first.
func Tenants(tx Tx) []Tenant { return collect(tx, selectTenants+"ORDER BY number", tenant) }

// FindTenant returns the tenant with the name, or the zero value if there is none.
func FindTenant(tx Tx, name string) Tenant {
	return one(tx, selectTenants+"WHERE name = $1", tenant, name)
}

// AddTenant adds a tenant and returns its number. An empty role is RoleAPIUser.
func AddTenant(c *Change, t Tenant) int64 {
	return c.Insert("INSERT INTO tenants (name, tax_id, country, role) VALUES ($1, $2, $3, $4)",
		t.Name, optional(t.TaxID), optional(t.Country), cmp.Or(t.Role, RoleAPIUser))
}

// EnsureTenant returns the number of a tenant, and adds the tenant if necessary.
func EnsureTenant(c *Change, who Retiree) int64 {
	if t := FindTenant(c, who.Name); t.Number > 0 {
		return t.Number
	}
	return AddTenant(c, Tenant{Retiree: who})
}

// CreateTenant adds a tenant. It fails with ErrTenantExists.
func CreateTenant(c *Change, t Tenant) {
	if FindTenant(c, t.Name).Number > 0 {
		c.Fail(ErrTenantExists)
	}
	AddTenant(c, t)
	c.Audit("create tenant", t.Name, t.Role)
}

// EditTenant changes a tenant. Earlier retirements keep the previous data. It fails with
// ErrUnknownTenant, or with ErrTenantExists for a new name.
func EditTenant(c *Change, name string, edit func(*Tenant)) Tenant {
	t := FindTenant(c, name)
	if t.Number == 0 {
		c.Fail(ErrUnknownTenant)
	}
	edit(&t)
	if other := FindTenant(c, t.Name); other.Number > 0 && other.Number != t.Number {
		c.Fail(ErrTenantExists)
	}
	c.Do("UPDATE tenants SET name = $1, tax_id = $2, country = $3, role = $4 WHERE number = $5",
		t.Name, optional(t.TaxID), optional(t.Country), t.Role, t.Number)
	c.Audit("edit tenant", name, t.Name)
	return t
}
