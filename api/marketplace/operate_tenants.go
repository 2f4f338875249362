package marketplace

import (
	"context"
	"errors"
	"strings"

	"tonne/api/marketplace/exchange"
)

// CreateTenant adds a tenant; an empty role is exchange.RoleAPIUser. The error
// is exchange.ErrTenantExists, or a *TextError for what would not be shown as
// it is or is no country.
func (m *Marketplace) CreateTenant(ctx context.Context, t exchange.Tenant) error {
	if t.Role == "" {
		t.Role = exchange.RoleAPIUser
	}
	if err := checkTenant(t); err != nil {
		return err
	}
	return m.Operate(ctx, "create tenant", func(c *exchange.Change) error { return c.CreateTenant(t) })
}

// EditTenant changes what edit does of a tenant, and returns it. What was
// retired goes on saying what it said. The error is exchange.ErrUnknownTenant,
// exchange.ErrTenantExists or a *TextError.
func (m *Marketplace) EditTenant(ctx context.Context, name string, edit func(*exchange.Tenant)) (exchange.Tenant, error) {
	// What changes is looked at alone: what an older version took stays in use.
	said := exchange.Tenant{Retiree: exchange.Retiree{Name: "-"}, Role: "-"}
	edit(&said)
	if err := checkTenant(said); err != nil {
		return exchange.Tenant{}, err
	}
	return Operate(ctx, m, "edit tenant", func(c *exchange.Change) (exchange.Tenant, error) { return c.EditTenant(name, edit) })
}

func checkTenant(t exchange.Tenant) error {
	err := errors.Join(checkName("tenant", t.Name), checkText("the tax id", t.TaxID), checkName("role", t.Role))
	for what, text := range map[string]string{"the name of the tenant": t.Name, "the name of the role": t.Role} {
		if strings.TrimSpace(text) == "" {
			err = errors.Join(err, &TextError{what, "must not be empty"})
		}
	}
	if t.Country != "" && !exchange.IsCountry(t.Country) {
		err = errors.Join(err, &TextError{"the country", "must be a two-letter code of ISO 3166-1 such as GB"})
	}
	return err
}
