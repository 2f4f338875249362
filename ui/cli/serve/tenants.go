package serve

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/ui/cli/command"
)

func (s *operator) tenantsCommand() *cobra.Command {
	return s.app.Group("tenants", "Create, edit and list tenants", "  tonne serve tenants create \"Acme Ltd\" --tax-id \"GB 123 456 789\" --country GB\n"+
		"  tonne serve tenants edit \"Acme Ltd\" --country IE\n  tonne serve tenants list",
		s.createTenantCommand(), s.editTenantCommand(), s.listTenantsCommand())
}

func (s *operator) checkTenant(ctx context.Context, m *marketplace.Marketplace, name string) error {
	tenants, err := exchange.Read(ctx, m, exchange.Tenants)
	if err != nil {
		return s.notDone(err, checkDatabase)
	}
	var similar []string
	for _, t := range tenants {
		lower := strings.ToLower(t.Name)
		if t.Name == name {
			return nil
		}
		if _, near := command.Distance(name, lower); near || strings.HasPrefix(lower, strings.ToLower(name)) {
			similar = append(similar, strconv.Quote(t.Name))
		}
	}
	todo := "`tonne serve tenants list` names the tenants; --create-tenant creates one"
	if len(similar) > 0 {
		todo = "did you mean " + strings.Join(similar[:min(len(similar), 3)], " or ") + "? --create-tenant creates a new tenant"
	}
	return &command.Failure{What: fmt.Sprintf("there is no tenant %q", name), Todo: todo, Status: command.StatusNotFound}
}

func (s *operator) createTenantCommand() *cobra.Command {
	var t exchange.Tenant
	cmd := changeCommand(s, "create NAME", "Add a tenant", "tenants create \"Acme Ltd\" --tax-id \"GB 123 456 789\" --country GB", command.WritesLocal,
		tenantColumns, func(ctx context.Context, m *marketplace.Marketplace, args []string) (exchange.Tenant, string, error) {
			made := t
			made.Name = args[0]
			return made, "the tenant " + made.Name + " is there", s.notDone(m.CreateTenant(ctx, made), "`tonne serve tenants edit` changes a tenant")
		})
	cmd.Long = "Adds a tenant: what a retirement on its own behalf and the certificate of that say."
	tenantFlags(cmd, &t, exchange.RoleAPIUser)
	return cmd
}

func tenantFlags(cmd *cobra.Command, t *exchange.Tenant, role string) {
	f := cmd.Flags()
	f.StringVar(&t.TaxID, "tax-id", "", "tax `ID` of the tenant")
	f.StringVar(&t.Country, "country", "", "country of the tenant, a two-letter `CODE` of ISO 3166-1")
	f.StringVar(&t.Role, "role", role, "`ROLE` of the tenant's new keys where none is named")
}

func (s *operator) editTenantCommand() *cobra.Command {
	var said exchange.Tenant
	fields := map[string]func(*exchange.Tenant) *string{
		"name": func(t *exchange.Tenant) *string { return &t.Name }, "tax-id": func(t *exchange.Tenant) *string { return &t.TaxID },
		"country": func(t *exchange.Tenant) *string { return &t.Country }, "role": func(t *exchange.Tenant) *string { return &t.Role },
	}
	var cmd *cobra.Command
	cmd = changeCommand(s, "edit NAME", "Change what is said of a tenant", "tenants edit \"Acme Ltd\" --country IE", command.WritesLocal,
		tenantColumns, func(ctx context.Context, m *marketplace.Marketplace, args []string) (t exchange.Tenant, sentence string, err error) {
			changed := maps.Clone(fields)
			maps.DeleteFunc(changed, func(flag string, _ func(*exchange.Tenant) *string) bool { return !cmd.Flags().Changed(flag) })
			if len(changed) == 0 {
				return t, "", command.Usage("give --name, --tax-id, --country or --role", "there is nothing to change")
			}
			t, err = m.EditTenant(ctx, args[0], func(t *exchange.Tenant) {
				for _, field := range changed {
					*field(t) = *field(&said)
				}
			})
			return t, "the tenant " + t.Name + " is changed", s.notDone(err, "`tonne serve tenants list` names the tenants")
		})
	cmd.Long = "Changes what the flags name; an empty tax id or country is none. What was retired goes on\nsaying what it said."
	cmd.Flags().StringVar(&said.Name, "name", "", "new `NAME`")
	tenantFlags(cmd, &said, "")
	return cmd
}

func (s *operator) listTenantsCommand() *cobra.Command {
	return listCommand(s, "list", "List the tenants", "tenants list", command.Reads, listedTenantColumns,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) ([]exchange.Tenant, error) {
			return exchange.Read(ctx, m, exchange.Tenants)
		})
}
