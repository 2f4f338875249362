package cli

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/ui/cli/output"
)

func (s *serveRun) tenantsCommand() *cobra.Command {
	return s.group("tenants", "Create, edit and list tenants", "  tonne serve tenants create \"Acme Ltd\" --tax-id \"GB 123 456 789\" --country GB\n"+
		"  tonne serve tenants edit \"Acme Ltd\" --country IE\n  tonne serve tenants list",
		s.createTenantCommand(), s.editTenantCommand(), s.listTenantsCommand())
}

// checkTenant returns an error that names similar tenants if there is none with
// the name.
func (s *serveRun) checkTenant(ctx context.Context, m *marketplace.Marketplace, name string) error {
	tenants, err := m.Tenants(ctx)
	if err != nil {
		return s.notDone(err, checkDatabase)
	}
	var similar []string
	for _, t := range tenants {
		lower := strings.ToLower(t.Name)
		if t.Name == name {
			return nil
		}
		if _, near := distance(name, lower); near || strings.HasPrefix(lower, strings.ToLower(name)) {
			similar = append(similar, strconv.Quote(t.Name))
		}
	}
	todo := "`tonne serve tenants list` names the tenants; --create-tenant creates one"
	if len(similar) > 0 {
		todo = "did you mean " + strings.Join(similar[:min(len(similar), 3)], " or ") + "? --create-tenant creates a new tenant"
	}
	return &failure{what: fmt.Sprintf("there is no tenant %q", name), todo: todo, status: statusNotFound}
}

// tenantObject is a tenant, as JSON.
type tenantObject struct {
	Name    string       `json:"name"`
	TaxID   output.Value `json:"tax_id"`
	Country output.Value `json:"country"`
	Role    string       `json:"role"`
}

func objectOfTenant(t exchange.Tenant) tenantObject {
	return tenantObject{t.Name, output.Optional(t.TaxID), output.Optional(t.Country), t.Role}
}

// listedTenant is a tenant and how many keys of it may be used, as JSON.
type listedTenant struct {
	tenantObject
	ActiveKeys int `json:"active_keys"`
}

func (s *serveRun) createTenantCommand() *cobra.Command {
	var t exchange.Tenant
	cmd := s.printing("create NAME", "Add a tenant", "tenants create \"Acme Ltd\" --tax-id \"GB 123 456 789\" --country GB", writesLocal,
		objectFlag[tenantObject], func(ctx context.Context, m *marketplace.Marketplace, args []string, format output.Format) error {
			made := t
			made.Name = args[0]
			if err := m.CreateTenant(ctx, made); err != nil {
				return s.notDone(err, "`tonne serve tenants edit` changes a tenant")
			}
			return s.say(format, objectOfTenant(made), "the tenant "+made.Name+" is there")
		})
	cmd.Long = "Adds a tenant: what a retirement on its own behalf and the certificate of that say."
	f := cmd.Flags()
	f.StringVar(&t.TaxID, "tax-id", "", "tax `ID` of the tenant")
	f.StringVar(&t.Country, "country", "", "country of the tenant, a two-letter `CODE` of ISO 3166-1")
	f.StringVar(&t.Role, "role", exchange.RoleAPIUser, "`ROLE` of the tenant's new keys where none is named")
	return cmd
}

func (s *serveRun) editTenantCommand() *cobra.Command {
	var said exchange.Tenant
	fields := map[string]func(*exchange.Tenant) *string{
		"name": func(t *exchange.Tenant) *string { return &t.Name }, "tax-id": func(t *exchange.Tenant) *string { return &t.TaxID },
		"country": func(t *exchange.Tenant) *string { return &t.Country }, "role": func(t *exchange.Tenant) *string { return &t.Role },
	}
	var cmd *cobra.Command
	cmd = s.printing("edit NAME", "Change what is said of a tenant", "tenants edit \"Acme Ltd\" --country IE", writesLocal,
		objectFlag[tenantObject], func(ctx context.Context, m *marketplace.Marketplace, args []string, format output.Format) error {
			changed := maps.Clone(fields)
			maps.DeleteFunc(changed, func(flag string, _ func(*exchange.Tenant) *string) bool { return !cmd.Flags().Changed(flag) })
			if len(changed) == 0 {
				return usage("give --name, --tax-id, --country or --role", "there is nothing to change")
			}
			t, err := m.EditTenant(ctx, args[0], func(t *exchange.Tenant) {
				for _, field := range changed {
					*field(t) = *field(&said)
				}
			})
			if err != nil {
				return s.notDone(err, "`tonne serve tenants list` names the tenants")
			}
			return s.say(format, objectOfTenant(t), "the tenant "+t.Name+" is changed")
		})
	cmd.Long = "Changes what the flags name; an empty tax id or country is none. What was retired goes on\nsaying what it said."
	f := cmd.Flags()
	f.StringVar(&said.Name, "name", "", "new `NAME`")
	f.StringVar(&said.TaxID, "tax-id", "", "tax `ID` of the tenant")
	f.StringVar(&said.Country, "country", "", "country of the tenant, a two-letter `CODE` of ISO 3166-1")
	f.StringVar(&said.Role, "role", "", "`ROLE` of the tenant's new keys where none is named")
	return cmd
}

func (s *serveRun) listTenantsCommand() *cobra.Command {
	return s.printing("list", "List the tenants", "tenants list", reads,
		listFlag[listedTenant], func(ctx context.Context, m *marketplace.Marketplace, _ []string, format output.Format) error {
			tenants, err := m.Tenants(ctx)
			if err != nil {
				return err
			}
			return printList(s, format, tenants, func(t exchange.Tenant) listedTenant {
				return listedTenant{objectOfTenant(t), t.ActiveKeys}
			}, columns("NAME", "TAX ID", "COUNTRY", "ROLE", ">ACTIVE KEYS"), func(t exchange.Tenant) []string {
				return []string{t.Name, dash(t.TaxID), dash(t.Country), t.Role, strconv.Itoa(t.ActiveKeys)}
			})
		})
}
