package serve

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model/advice"
	"tonne/ui/cli/command"
	"tonne/ui/output"
)

func (s *operator) keysCommand() *cobra.Command {
	return s.app.Group("keys", "Create, list and deactivate API keys",
		"  tonne serve keys create --tenant acme --create-tenant\n  tonne serve keys list\n  tonne serve keys deactivate ID",
		s.createKeyCommand(),
		readCommand(s, "list", "List the API keys of all tenants, without their secrets", "keys list", keyColumns,
			exchange.Keys),
		s.deactivateKeyCommand())
}

func (s *operator) createKeyCommand() *cobra.Command {
	var tenant, role, name string
	var cmd *cobra.Command
	cmd = changeCommand(s, "create", "Create an API key and print it, once", "keys create --tenant acme --create-tenant",
		command.WritesLocal, checkDatabase,
		createdKeyColumns,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) (key exchange.NewKey, sentence string, err error) {
			if !s.create {
				if err := checkTenant(ctx, m, tenant); err != nil {
					return key, "", err
				}
			}
			of := ""
			if cmd.Flags().Changed("role") {
				of = role
			}
			key, err = m.CreateKey(ctx, tenant, of, name)
			if errors.Is(err, exchange.ErrMaxKeys) {
				err = command.Failed(advice.Format("deactivate one: %s lists them", advice.Tonne("serve keys list")),
					"%s has reached the maximum number of active keys", tenant)
			}
			return key, "id " + key.ID + "\nkey " + key.Secret, err
		})
	cmd.Use = "create --tenant NAME"
	cmd.Example += "\n  tonne serve keys create --tenant acme --role \"API User\" --name ci"
	cmd.PreRunE = command.Do(func(context.Context, *cobra.Command, []string) error {
		if tenant == "" {
			return command.Usage("give --tenant NAME", "a key needs a tenant")
		}
		return nil
	})
	cmd.PostRun = func(*cobra.Command, []string) {
		if !s.app.AsObjects() {
			s.app.Say("The key is not shown again. Store it with `tonne auth login --base-url ADDRESS`.\n")
		}
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "`NAME` of the tenant")
	cmd.Flags().BoolVar(&s.create, "create-tenant", false, "create the tenant, and the database, if they do not exist")
	cmd.Flags().StringVar(&role, "role", exchange.RoleAPIUser,
		"`ROLE` of the key's user, if the tenant does not exist yet; otherwise the tenant's role")
	cmd.Flags().StringVar(&name, "name", "", "`NAME` of the key, to recognise it in lists")
	return cmd
}

func checkTenant(ctx context.Context, m *marketplace.Marketplace, name string) error {
	tenants, err := exchange.Read(ctx, m, exchange.Tenants)
	if err != nil {
		return err
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
	todo := advice.Format("%s; --create-tenant creates one", listsTenants)
	if len(similar) > 0 {
		todo = advice.Format("did you mean %s? --create-tenant creates a new tenant",
			strings.Join(similar[:min(len(similar), 3)], " or "))
	}
	return &command.Failure{What: advice.Format("there is no tenant %q", name), Todo: todo, Status: command.StatusNotFound}
}

func (s *operator) deactivateKeyCommand() *cobra.Command {
	yes := false
	cmd := changeCommand(s, "deactivate ID", "Deactivate an API key permanently", "keys deactivate 00n000000000000001",
		command.Irrevocable,
		advice.Format("%s lists the keys", advice.Tonne("serve keys list")),
		keyColumns.Pick("id", "is_active"),
		func(ctx context.Context, m *marketplace.Marketplace, args []string) (exchange.Key, string, error) {
			ended := exchange.Key{ID: args[0]}
			err := s.askToDeactivate(ctx, m, ended.ID, yes)
			if err == nil {
				err = m.Operate(ctx, "deactivate API key", func(c *exchange.Change) { exchange.DeactivateKey(c, ended.ID) })
			}
			if err == nil {
				err = s.warnOfLastKey(ctx, m, ended.ID)
			}
			return ended, "the key is deactivated", err
		})
	cmd.Long = "Deactivates an API key permanently: the service answers 401 to its next request. The command\n" +
		"shows the key and asks first."
	command.YesFlag(cmd, &yes, "deactivate the key without asking for confirmation")
	return cmd
}

func (s *operator) askToDeactivate(ctx context.Context, m *marketplace.Marketplace, id string, yes bool) error {
	keys, err := exchange.Read(ctx, m, exchange.Keys)
	if err != nil || yes {
		return err
	}
	at := slices.IndexFunc(keys, func(k exchange.Key) bool { return k.ID == id })
	if at < 0 {
		return exchange.ErrUnknownKey
	}
	if err := s.app.CanAsk(yes, advice.Format("look at the key with %s", advice.Tonne("serve keys list"))); err != nil {
		return err
	}
	if err := s.app.Tell(output.GridOf(keyColumns, slices.Values(keys[at:at+1]))); err != nil {
		return err
	}
	return s.app.Ask(ctx, yes, command.Question{
		Text: "Requests with this key fail from now on. This cannot be undone.", Word: "yes", What: "deactivate it",
		Not: "nothing was changed: it was not confirmed",
	})
}

// A leaked key must be deactivated at once, even if it is the last one.
func (s *operator) warnOfLastKey(ctx context.Context, m *marketplace.Marketplace, id string) error {
	keys, err := exchange.Read(ctx, m, exchange.Keys)
	if err != nil {
		return err
	}
	ended := keys[slices.IndexFunc(keys, func(k exchange.Key) bool { return k.ID == id })]
	left := slices.ContainsFunc(keys, func(k exchange.Key) bool {
		return k.Active && k.Tenant == ended.Tenant && k.Role == ended.Role
	})
	if !left {
		s.app.Warn("%s has no active key with the role %s left; %s makes another", ended.Tenant, ended.Role,
			advice.Tonne("serve keys create --tenant NAME"))
	}
	return nil
}
