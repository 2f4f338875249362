package serve

import (
	"context"
	"maps"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model/advice"
	"tonne/ui/cli/command"
)

var listsTenants = advice.Format("%s lists the tenants", advice.Tonne("serve tenants list"))

func (s *operator) tenantsCommand() *cobra.Command {
	return s.app.Group("tenants", "Create, edit and list tenants",
		"  tonne serve tenants create \"Acme Ltd\" --tax-id \"GB 123 456 789\" --country GB\n"+
			"  tonne serve tenants edit \"Acme Ltd\" --country IE\n  tonne serve tenants list",
		s.createTenantCommand(), s.editTenantCommand(),
		readCommand(s, "list", "List the tenants", "tenants list", listedTenantColumns, exchange.Tenants))
}

func (s *operator) createTenantCommand() *cobra.Command {
	var t exchange.Tenant
	cmd := changeCommand(s, "create NAME", "Add a tenant",
		"tenants create \"Acme Ltd\" --tax-id \"GB 123 456 789\" --country GB", command.WritesLocal,
		advice.Format("%s changes a tenant", advice.Tonne("serve tenants edit")),
		tenantColumns, func(ctx context.Context, m *marketplace.Marketplace, args []string) (exchange.Tenant, string, error) {
			t.Name = args[0]
			return t, "tenant " + t.Name + " created", m.CreateTenant(ctx, t)
		})
	cmd.Long = "Adds a tenant. Its name, tax id and country appear on its own retirements and their certificates."
	tenantFlags(cmd, &t, exchange.RoleAPIUser)
	return cmd
}

func tenantFlags(cmd *cobra.Command, t *exchange.Tenant, role string) {
	f := cmd.Flags()
	f.StringVar(&t.TaxID, "tax-id", "", "tax `ID` of the tenant")
	f.StringVar(&t.Country, "country", "", "two-letter country `CODE` of the tenant (ISO 3166-1)")
	f.StringVar(&t.Role, "role", role, "default `ROLE` of the tenant's new keys")
}

func (s *operator) editTenantCommand() *cobra.Command {
	var said exchange.Tenant
	fields := map[string]func(*exchange.Tenant) *string{
		"name":    func(t *exchange.Tenant) *string { return &t.Name },
		"tax-id":  func(t *exchange.Tenant) *string { return &t.TaxID },
		"country": func(t *exchange.Tenant) *string { return &t.Country },
		"role":    func(t *exchange.Tenant) *string { return &t.Role },
	}
	var cmd *cobra.Command
	cmd = changeCommand(s, "edit NAME", "Change the data of a tenant", "tenants edit \"Acme Ltd\" --country IE",
		command.WritesLocal, listsTenants,
		tenantColumns,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) (t exchange.Tenant, sentence string, err error) {
			changed := maps.Clone(fields)
			maps.DeleteFunc(changed,
				func(flag string, _ func(*exchange.Tenant) *string) bool { return !cmd.Flags().Changed(flag) })
			if len(changed) == 0 {
				return t, "", command.Usage("give --name, --tax-id, --country or --role", "there is nothing to change")
			}
			t, err = m.EditTenant(ctx, args[0], func(t *exchange.Tenant) {
				for _, field := range changed {
					*field(t) = *field(&said)
				}
			})
			return t, "tenant " + t.Name + " changed", err
		})
	cmd.Long = "Changes the given values; an empty tax id or country removes it. Existing retirements keep the\nold data."
	cmd.Flags().StringVar(&said.Name, "name", "", "new `NAME`")
	tenantFlags(cmd, &said, "")
	command.ClearedByEmpty(cmd.Flags(), "tax-id", "country")
	return cmd
}
