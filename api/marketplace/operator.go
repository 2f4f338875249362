package marketplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"tonne/api/marketplace/exchange"
)

// The actors that are no tenant's key.
const (
	operator = "operator"
	clock    = "clock"
)

// ErrNoTenant is returned for a key without the name of a tenant.
var ErrNoTenant = errors.New("a key needs the name of its tenant")

// Operate changes the database as its operator, in one transaction that is
// committed whole, or not at all if fn returns an error. doing begins the error,
// such as "settle invoice".
func Operate[T any](ctx context.Context, m *Marketplace, doing string, fn func(*exchange.Change) (T, error)) (done T, err error) {
	err = m.change(ctx, operator, func(c *exchange.Change) (err error) {
		done, err = fn(c)
		return err
	})
	return done, failedAt(doing, err)
}

// Operate is the function Operate for what returns nothing.
func (m *Marketplace) Operate(ctx context.Context, doing string, fn func(*exchange.Change) error) error {
	return failedAt(doing, m.change(ctx, operator, fn))
}

// Query returns what fn reads of one state of the database. doing begins the
// error.
func Query[T any](ctx context.Context, m *Marketplace, doing string, fn func(exchange.Tx) (T, error)) (T, error) {
	read, err := exchange.Read(ctx, m.db, fn)
	return read, failedAt(doing, err)
}

func failedAt(doing string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// CreateKey makes an API key for a role of a tenant; an empty role is the
// tenant's. A tenant that is not there yet is created. The error
// is exchange.ErrMaxKeys where the role has two active keys already, and a
// *TextError for a name that would not be shown as it is.
func (m *Marketplace) CreateKey(ctx context.Context, tenant, role, name string) (key exchange.NewKey, err error) {
	if tenant == "" {
		return key, ErrNoTenant
	}
	if err := errors.Join(checkName("role", role), checkName("key", name)); err != nil {
		return key, err
	}
	return Operate(ctx, m, "create API key", func(c *exchange.Change) (exchange.NewKey, error) {
		of, err := tenantNamed(c, tenant)
		if err != nil {
			return exchange.NewKey{}, err
		}
		return c.CreateKey(exchange.User{Tenant: of.Number, Role: cmp.Or(role, of.Role)}, name)
	})
}

func tenantNamed(c *exchange.Change, name string) (exchange.Tenant, error) {
	t, found, err := c.FindTenant(name)
	if err == nil && !found {
		// A name that an older version took stays in use.
		err = checkName("tenant", name)
	}
	if found || err != nil {
		return t, err
	}
	t = exchange.Tenant{Retiree: exchange.Retiree{Name: name}, Role: exchange.RoleAPIUser}
	t.Number, err = c.AddTenant(t.Retiree)
	return t, err
}

// Advance moves everything one step along its life cycle, at a time that may
// be another than the clock's.
func (m *Marketplace) Advance(ctx context.Context, now time.Time) error {
	return failedAt("advance the marketplace", m.Change(ctx, now, clock, (*exchange.Change).Advance))
}
