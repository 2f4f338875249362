package exchange

type tenants interface {
	// Tenant returns the number of the tenant with the name.
	Tenant(name string) (number int64, found bool, err error)
	// AddTenant adds a tenant; what is empty of who is not known.
	AddTenant(who Retiree) (number int64, err error)
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
