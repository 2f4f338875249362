package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/ui/cli/command"
	"tonne/ui/cli/output"
)

// command is a command of the operator on a database that is there already.
// What follows the name in use are its arguments.
func (s *run) command(use, short, example string, changes command.Effect, run operation) *cobra.Command {
	args, d := cobra.NoArgs, command.Description{Effect: changes}
	if names := strings.Fields(use)[1:]; len(names) > 0 {
		args = cobra.ExactArgs(len(names))
		for _, name := range names {
			d.Arguments = append(d.Arguments, command.Argument{Name: name, Description: operands[name], Required: true})
		}
	}
	cmd := &cobra.Command{Use: use, Short: short, Example: "  tonne serve " + example, Args: args, RunE: s.operateOn(new(bool), run)}
	return s.Describe(cmd, d)
}

// operands says what the arguments of the operator's commands are.
var operands = map[string]string{
	"ID":      "id of what the command is about, as the list prints it",
	"INVOICE": "id of the invoice",
	"FILE":    "path of the file",
	"NAME":    "name of the tenant",
	"CENTS":   "price in US cents per tonne",
}

// operation is what a command of the operator does.
type operation func(ctx context.Context, m *marketplace.Marketplace, args []string) error

// operateOn runs a command of the operator on the service's database, which may
// be in use by the service. If there is none, it is made if *create says so.
func (s *run) operateOn(create *bool, run operation) func(*cobra.Command, []string) error {
	return command.Do(func(ctx context.Context, _ *cobra.Command, args []string) (err error) {
		m, err := s.open(ctx, *create, marketplace.Options{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.Close()) }()
		err = databaseFailure(run(ctx, m, args))
		if err == nil && m.Made() {
			s.Warn("there was no marketplace in %s: a new one was made", databaseName(s.path()))
		}
		return err
	})
}

// databaseFailure says what is wrong with the database or its disk where that
// is known. Any other error it returns as it is.
func databaseFailure(err error) error {
	switch {
	case errors.Is(err, exchange.ErrFull):
		return command.Failed("make room and run it again", "no space is left on the disk of the database")
	case errors.Is(err, exchange.ErrLocked):
		return command.Failed("try again; if it stays so, end the program that keeps it locked", "the database is locked by another program")
	case errors.Is(err, exchange.ErrUnreachable):
		return command.Failed("check whether its server runs and takes changes, and run it again", "the database cannot be reached")
	case errors.Is(err, exchange.ErrUnknown):
		return command.Failed("look whether it was done before you run it again", "%v", exchange.ErrUnknown)
	case errors.Is(err, exchange.ErrNoBackup):
		return command.Failed("see the page on the service", "%v", exchange.ErrNoBackup)
	case errors.Is(err, exchange.ErrReadOnly):
		return command.Failed(checkDatabase, "the database is read-only")
	}
	return err
}

func (s *run) keysCommand() *cobra.Command {
	return s.Group("keys", "Create, list and deactivate API keys", "  tonne serve keys create --tenant acme --create-tenant\n  tonne serve keys list\n  tonne serve keys deactivate ID",
		s.createKeyCommand(), s.listKeysCommand(), s.deactivateKeyCommand())
}

func (s *run) createKeyCommand() *cobra.Command {
	var tenant, role, name string
	var createTenant bool
	var format *output.Format
	var cmd *cobra.Command
	cmd = &cobra.Command{
		Use:     "create --tenant NAME",
		Short:   "Create an API key and print it, once",
		Example: "  tonne serve keys create --tenant acme --create-tenant\n  tonne serve keys create --tenant acme --role \"API User\" --name ci",
		Args:    cobra.NoArgs,
		PreRunE: command.Do(func(context.Context, *cobra.Command, []string) error {
			if tenant == "" {
				return command.Usage("give --tenant NAME", "a key needs a tenant")
			}
			return nil
		}),
		RunE: s.operateOn(&createTenant, func(ctx context.Context, m *marketplace.Marketplace, _ []string) error {
			if !createTenant {
				if err := s.checkTenant(ctx, m, tenant); err != nil {
					return err
				}
			}
			of := ""
			if cmd.Flags().Changed("role") {
				of = role
			}
			key, err := m.CreateKey(ctx, tenant, of, name)
			if errors.Is(err, exchange.ErrMaxKeys) {
				return command.Failed("deactivate one: `tonne serve keys list` names them", "%s has as many active keys as it may have", tenant)
			}
			if err != nil {
				return s.notDone(err, checkDatabase)
			}
			err = s.say(*format, createdKeyColumns.JSON(key), "id "+key.ID+"\nkey "+key.Secret)
			if err == nil && !s.AsObjects() {
				s.Say("The key is not shown again. Store it with `tonne auth login --base-url ADDRESS`.\n")
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "`NAME` of the tenant")
	cmd.Flags().BoolVar(&createTenant, "create-tenant", false, "create the tenant, and the database, if they do not exist")
	cmd.Flags().StringVar(&role, "role", exchange.RoleAPIUser, "`ROLE` of the key's user; of a tenant that is there, its own")
	cmd.Flags().StringVar(&name, "name", "", "`NAME` that tells the key from others")
	s.Describe(cmd, command.Description{Effect: command.WritesLocal})
	format = s.printsObject(cmd, createdKeyColumns.Fields(""))
	return cmd
}

func (s *run) listKeysCommand() *cobra.Command {
	return listCommand(s, "list", "List the API keys of all tenants; the keys themselves are not kept", "keys list", command.Reads, keyColumns,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) ([]exchange.Key, error) {
			return marketplace.Query(ctx, m, "list API keys", exchange.Keys)
		})
}

func (s *run) deactivateKeyCommand() *cobra.Command {
	return s.command("deactivate ID", "Make an API key invalid for good", "keys deactivate 00n000000000000001", command.Irrevocable,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
			if err := m.Operate(ctx, "deactivate API key", func(c *exchange.Change) error { return c.DeactivateKey(args[0]) }); err != nil {
				return s.notDone(err, "`tonne serve keys list` names the keys")
			}
			if _, err := fmt.Fprintln(s.Data(), "the key is deactivated"); err != nil {
				return err
			}
			return s.warnOfLastKey(ctx, m, args[0])
		})
}

// warnOfLastKey says so where the user of a key has no active one left. It is
// no reason to refuse: a key that has leaked must end now.
func (s *run) warnOfLastKey(ctx context.Context, m *marketplace.Marketplace, id string) error {
	keys, err := marketplace.Query(ctx, m, "list API keys", exchange.Keys)
	if err != nil {
		return err
	}
	ended := keys[slices.IndexFunc(keys, func(k exchange.Key) bool { return k.ID == id })]
	left := slices.ContainsFunc(keys, func(k exchange.Key) bool {
		return k.Active && k.Tenant == ended.Tenant && k.Role == ended.Role
	})
	if !left {
		s.Warn("%s has no active key with the role %s left; `tonne serve keys create --tenant NAME` makes another", ended.Tenant, ended.Role)
	}
	return nil
}

func (s *run) invoicesCommand() *cobra.Command {
	cmd := s.command("invoices", "List invoices", "invoices", command.Reads,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) error {
			invoices, err := listInvoices(ctx, m, exchange.BillFilter{Open: true})
			if err != nil {
				return err
			}
			return s.Grid(openInvoiceColumns.Grid(slices.Values(invoices)))
		})
	cmd.AddCommand(s.listInvoicesCommand())
	return cmd
}

func listInvoices(ctx context.Context, m *marketplace.Marketplace, filter exchange.BillFilter) ([]exchange.Bill, error) {
	return marketplace.Query(ctx, m, "list invoices", func(tx exchange.Tx) []exchange.Bill { return exchange.Invoices(tx, filter) })
}

func (s *run) listInvoicesCommand() *cobra.Command {
	var filter exchange.BillFilter
	cmd := listCommand(s, "list", "List the invoices, oldest first", "invoices list --open", command.Reads, invoiceColumns,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) ([]exchange.Bill, error) {
			return listInvoices(ctx, m, filter)
		})
	cmd.Flags().BoolVar(&filter.Open, "open", false, "only those that are not settled")
	cmd.Flags().StringVar(&filter.Tenant, "tenant", "", "only those of the tenant with the `NAME`")
	return cmd
}

func (s *run) settleCommand() *cobra.Command {
	return changeCommand(s, "settle INVOICE", "Settle an invoice: what waited for it goes to the registry", "settle 00i000000000000001", command.Irrevocable,
		invoiceColumns.Pick("id", "state"), func(ctx context.Context, m *marketplace.Marketplace, args []string) (exchange.Bill, string, error) {
			err := m.Operate(ctx, "settle invoice", func(c *exchange.Change) error { return c.Settle(args[0]) })
			return exchange.Bill{ID: args[0], State: exchange.InvoiceSettled}, "the invoice is settled",
				s.notDone(err, "`tonne serve invoices list --open` lists those that are open")
		})
}

func (s *run) closeMonthCommand() *cobra.Command {
	return changeCommand(s, "close-month", "End the month of accounts: open requests close, invoices are issued", "close-month", command.Irrevocable,
		monthColumns, func(ctx context.Context, m *marketplace.Marketplace, _ []string) (exchange.MonthEnd, string, error) {
			end, err := marketplace.Operate(ctx, m, "close the month", func(c *exchange.Change) (exchange.MonthEnd, error) { return c.CloseMonth(), nil })
			return end, fmt.Sprintf("month %s: %s closed, %d with nothing to process, %s", end.Month, model.Count(end.Closed, "request", "requests"),
				end.NothingToProcess, model.Count(end.Invoices, "invoice", "invoices")), s.notDone(err, checkDatabase)
		})
}

func (s *run) backupCommand() *cobra.Command {
	return s.command("backup FILE", "Write the database as it is now into a new file", "backup /backup/market.db", command.WritesLocal,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
			err := m.Backup(ctx, args[0])
			if errors.Is(err, fs.ErrExist) {
				return command.Failed("name a new file", "%s is there already", args[0])
			}
			if err != nil {
				return s.notDone(err, checkDatabase)
			}
			_, err = fmt.Fprintln(s.Data(), "the backup is written")
			return err
		})
}

// checkDatabase is what to do where the database itself failed.
const checkDatabase = "check the file that --db names, and its permissions"

func operatorStatus(err error) int {
	for _, unknown := range []error{
		exchange.ErrUnknownKey, exchange.ErrUnknownInvoice, exchange.ErrUnknownRequest, exchange.ErrUnknownTenant, exchange.ErrUnknownOrder,
	} {
		if errors.Is(err, unknown) {
			return command.StatusNotFound
		}
	}
	return command.StatusFailed
}
