package exchange

import (
	"cmp"
	"errors"
)

var (
	// ErrUnknownTenant is returned for a name that no tenant has.
	ErrUnknownTenant = errors.New("there is no tenant with that name")
	// ErrTenantExists is returned for a name that a tenant has already.
	ErrTenantExists = errors.New("there is a tenant with that name already")
)

// Tenant is a tenant as its operator knows it.
type Tenant struct {
	Number int64
	// Retiree is what a retirement on the tenant's own behalf says; what is
	// empty of it is not known.
	Retiree
	// Role is that of keys that are made for the tenant where none is named.
	Role string
	// ActiveKeys counts its active keys.
	ActiveKeys int
}

const selectTenants = `SELECT number, name, tax_id, country, role,
		(SELECT count(*) FROM api_keys k WHERE k.tenant = tenants.number AND k.is_active = 1)
	FROM tenants `

func tenant(row Row) Tenant {
	return Tenant{
		Number: row.Int64(0), Retiree: Retiree{row.Text(1), row.Text(2), row.Text(3)}, Role: row.Text(4), ActiveKeys: int(row.Int64(5)),
	}
}

// Tenants lists the tenants in the order in which they came.
func Tenants(tx Tx) []Tenant { return collect(tx, selectTenants+"ORDER BY number", tenant) }

// FindTenant returns the tenant with the name. The error is ErrUnknownTenant.
func (c *Change) FindTenant(name string) (Tenant, error) {
	t := one(c, selectTenants+"WHERE name = $1", tenant, name)
	if t.Number == 0 {
		return t, ErrUnknownTenant
	}
	return t, nil
}

// AddTenant adds a tenant and returns its number. An empty role is RoleAPIUser.
func (c *Change) AddTenant(t Tenant) int64 {
	return c.insert("INSERT INTO tenants (name, tax_id, country, role) VALUES ($1, $2, $3, $4)",
		t.Name, optional(t.TaxID), optional(t.Country), cmp.Or(t.Role, RoleAPIUser))
}

// EnsureTenant returns the number of the tenant with the name, which is added if
// there is none.
func (c *Change) EnsureTenant(who Retiree) int64 {
	t, err := c.FindTenant(who.Name)
	if err != nil {
		return c.AddTenant(Tenant{Retiree: who})
	}
	return t.Number
}

// CreateTenant adds a tenant. The error is ErrTenantExists.
func (c *Change) CreateTenant(t Tenant) error {
	if _, err := c.FindTenant(t.Name); err == nil {
		return ErrTenantExists
	}
	c.AddTenant(t)
	c.Audit("create tenant", t.Name, t.Role)
	return nil
}

// EditTenant changes a tenant. What was retired continues to say what it said.
// The error is ErrUnknownTenant, or ErrTenantExists for a new name.
func (c *Change) EditTenant(name string, edit func(*Tenant)) (Tenant, error) {
	t, err := c.FindTenant(name)
	if err != nil {
		return t, err
	}
	edit(&t)
	if other, err := c.FindTenant(t.Name); err == nil && other.Number != t.Number {
		return t, ErrTenantExists
	}
	c.Do("UPDATE tenants SET name = $1, tax_id = $2, country = $3, role = $4 WHERE number = $5",
		t.Name, optional(t.TaxID), optional(t.Country), t.Role, t.Number)
	c.Audit("edit tenant", name, t.Name)
	return t, nil
}
