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
func Query[T any](ctx context.Context, m *Marketplace, doing string, fn func(exchange.Tx) T) (T, error) {
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
		of, err := c.FindTenant(tenant)
		if errors.Is(err, exchange.ErrUnknownTenant) {
			// A name that an older version took stays in use.
			err = checkName("tenant", tenant)
			of = exchange.Tenant{Retiree: exchange.Retiree{Name: tenant}, Role: exchange.RoleAPIUser}
			of.Number = c.AddTenant(of)
		}
		if err != nil {
			return exchange.NewKey{}, err
		}
		return c.CreateKey(exchange.User{Tenant: of.Number, Role: cmp.Or(role, of.Role)}, name)
	})
}

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

// MaxCertificate is the largest certificate of a registry that is kept, in
// bytes.
const MaxCertificate = pdf.MaxFile

// Registered is what a registry says about a retirement.
type Registered struct {
	// Serials are its serial numbers, as exchange.ParseRange reads them. None
	// are made up, but only in a database with demo data.
	Serials []string
	// Certificate is its own, a PDF; nil lets the service print one.
	Certificate []byte
}

// CompleteAs completes a request with what its registry says. The errors are those
// of exchange.Change.CompleteAs, a *TextError, pdf.ErrNotPDF or pdf.ErrTooLarge.
func (m *Marketplace) CompleteAs(ctx context.Context, id string, by Registered) error {
	said := exchange.Registered{Certificate: by.Certificate}
	for _, text := range by.Serials {
		if err := checkText("the serial number", text); err != nil {
			return err
		}
		s, err := exchange.ParseRange(text)
		if err != nil {
			return err
		}
		said.Ranges = append(said.Ranges, s)
	}
	if by.Certificate != nil {
		if err := pdf.Check(by.Certificate); err != nil {
			return fmt.Errorf("the certificate is refused: %w", err)
		}
	}
	return m.Operate(ctx, "complete retirement", func(c *exchange.Change) error { return c.CompleteAs(id, said) })
}

const maxText = 255

// textFault says why a text is not taken in, or nothing where it is. What
// hides or reorders text would end on certificates, in logs and in the
// operator's tables.
func textFault(text string) string {
	switch {
	case utf8.RuneCountInString(text) > maxText:
		return fmt.Sprintf("must be at most %d characters long", maxText)
	case !wire.IsClean(text):
		return "must not hold control characters, nor characters that hide or reorder text"
	}
	return ""
}

// TextError says that a text is not fit to be kept.
type TextError struct {
	// What is the text, such as "the name of the tenant".
	What string
	// Why it is not fit, as the end of a sentence that begins with it.
	Why string
}

// Error is a sentence without its full stop.
func (e *TextError) Error() string { return e.What + " " + e.Why }

func checkText(what, text string) error {
	if why := textFault(text); why != "" {
		return &TextError{what, why}
	}
	return nil
}

func checkName(of, name string) error { return checkText("the name of the "+of, name) }
