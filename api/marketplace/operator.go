package marketplace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/pdf"
	"tonne/api/wire"
	"tonne/model/retirement"
)

// Actors of changes that are not made with an API key.
const (
	operator = "operator"
	clock    = "clock"
)

// ErrNoTenant is returned for a key without the name of a tenant.
var ErrNoTenant = errors.New("the name of the tenant is missing")

// Operate changes the database as the operator, in one transaction. doing is the prefix of
// the error, such as "settle invoice".
func Operate[T any](ctx context.Context, m *Marketplace, doing string, fn func(*exchange.Change) T) (done T,
	err error) {
	err = m.Operate(ctx, doing, func(c *exchange.Change) { done = fn(c) })
	return done, err
}

// Operate is like the function Operate, for an fn without a result.
func (m *Marketplace) Operate(ctx context.Context, doing string, fn func(*exchange.Change)) error {
	return failedAt(doing, m.change(ctx, operator, fn))
}

func failedAt(doing string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// CreateKey creates an API key for a role of a tenant, and the tenant if it does not exist.
// The default role is the tenant's. The error may be exchange.ErrMaxKeys or a *TextError.
func (m *Marketplace) CreateKey(ctx context.Context, tenant, role, name string) (key exchange.NewKey, err error) {
	if tenant == "" {
		return key, ErrNoTenant
	}
	if err := errors.Join(checkName("role", role), checkName("key", name)); err != nil {
		return key, err
	}
	return Operate(ctx, m, "create API key", func(c *exchange.Change) exchange.NewKey {
		of := exchange.FindTenant(c, tenant)
		if of.Number == 0 {
			// The name of an existing tenant is not checked: an older version accepted it.
			c.Fail(checkName("tenant", tenant))
			of = exchange.Tenant{Retiree: exchange.Retiree{Name: tenant}, Role: exchange.RoleAPIUser}
			of.Number = exchange.AddTenant(c, of)
		}
		return exchange.CreateKey(c, exchange.User{Tenant: of.Number, Role: cmp.Or(role, of.Role)}, name)
	})
}

// CreateTenant adds a tenant. The default role is exchange.RoleAPIUser. The error may be
// exchange.ErrTenantExists or a *TextError.
func (m *Marketplace) CreateTenant(ctx context.Context, t exchange.Tenant) error {
	t.Role = cmp.Or(t.Role, exchange.RoleAPIUser)
	if err := checkTenant(t); err != nil {
		return err
	}
	return m.Operate(ctx, "create tenant", func(c *exchange.Change) { exchange.CreateTenant(c, t) })
}

// EditTenant changes a tenant, and returns it. The error may be exchange.ErrUnknownTenant,
// exchange.ErrTenantExists or a *TextError.
func (m *Marketplace) EditTenant(ctx context.Context, name string, edit func(*exchange.Tenant)) (exchange.Tenant,
	error) {
	// Only changed values are checked: an older version accepted the others.
	changed := exchange.Tenant{Retiree: exchange.Retiree{Name: "-"}, Role: "-"}
	edit(&changed)
	if err := checkTenant(changed); err != nil {
		return exchange.Tenant{}, err
	}
	return Operate(ctx, m, "edit tenant",
		func(c *exchange.Change) exchange.Tenant { return exchange.EditTenant(c, name, edit) })
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

// MaxCertificate is the maximum size of a registry's certificate, in bytes.
const MaxCertificate = pdf.MaxFile

// CompleteAs completes a retirement request with the registry's record. The errors are those
// of exchange.CompleteAs, a *TextError, pdf.ErrNotPDF or pdf.ErrTooLarge.
func (m *Marketplace) CompleteAs(ctx context.Context, id string, by exchange.Registered) error {
	for _, text := range by.Serials {
		if err := checkText("the serial number", text); err != nil {
			return err
		}
		if _, err := exchange.ParseRange(text); err != nil {
			return err
		}
	}
	if by.Certificate != nil {
		if err := pdf.Check(by.Certificate); err != nil {
			return fmt.Errorf("cannot use the certificate: %w", err)
		}
	}
	return m.Operate(ctx, "complete retirement", func(c *exchange.Change) { exchange.CompleteAs(c, id, by) })
}

const maxText = retirement.MaxText

// Characters that hide or reorder text would appear on certificates, in logs and in tables.
func textFault(text string) string {
	switch {
	case utf8.RuneCountInString(text) > maxText:
		return fmt.Sprintf("must be at most %d characters long", maxText)
	case !wire.IsClean(text):
		return "must not contain control characters or characters that hide or reorder text"
	}
	return ""
}

// TextError is returned for a text with forbidden characters, or of a wrong length.
type TextError struct {
	// What is the subject of the sentence, and Why the rest.
	What, Why string
}

// Error returns a sentence without a full stop.
func (e *TextError) Error() string { return e.What + " " + e.Why }

func checkText(what, text string) error {
	if why := textFault(text); why != "" {
		return &TextError{what, why}
	}
	return nil
}

func checkName(of, name string) error { return checkText("the name of the "+of, name) }
