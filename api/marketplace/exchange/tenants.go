package exchange

import "errors"

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
}

type tenants interface {
	// Tenant returns the number of the tenant with the name.
	Tenant(name string) (number int64, found bool, err error)
	// FindTenant is Tenant with what is known of it.
	FindTenant(name string) (t Tenant, found bool, err error)
	// AddTenant adds a tenant; what is empty of who is not known.
	AddTenant(who Retiree) (number int64, err error)
	// ChangeTenant writes everything about a tenant anew.
	ChangeTenant(Tenant) error
	// OwnRetiree is what a retirement on the tenant's own behalf says.
	OwnRetiree(tenant int64) (Retiree, error)
}

// EnsureTenant returns the number of the tenant with the name, added where
// there is none.
func (c *Change) EnsureTenant(who Retiree) (int64, error) {
	number, found, err := c.Tenant(who.Name)
	if found || err != nil {
		return number, err
	}
	return c.AddTenant(who)
}

// CreateTenant adds a tenant. The error is ErrTenantExists.
func (c *Change) CreateTenant(t Tenant) error {
	_, found, err := c.Tenant(t.Name)
	if err == nil && found {
		err = ErrTenantExists
	}
	if err != nil {
		return err
	}
	if t.Number, err = c.AddTenant(t.Retiree); err != nil {
		return err
	}
	if err := c.ChangeTenant(t); err != nil {
		return err
	}
	return c.audit("create tenant", t.Name, t.Role)
}

// EditTenant changes a tenant. What was retired goes on saying what it said.
// The error is ErrUnknownTenant, or ErrTenantExists for a new name.
func (c *Change) EditTenant(name string, edit func(*Tenant)) (Tenant, error) {
	t, found, err := c.FindTenant(name)
	if err != nil {
		return t, err
	}
	if !found {
		return t, ErrUnknownTenant
	}
	edit(&t)
	if t.Name != name {
		if _, taken, err := c.Tenant(t.Name); err != nil || taken {
			return t, errors.Join(err, ErrTenantExists)
		}
	}
	if err := c.ChangeTenant(t); err != nil {
		return t, err
	}
	return t, c.audit("edit tenant", name, t.Name)
}
