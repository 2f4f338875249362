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
)

func (s *operator) command(use, short, example string, changes command.Effect, run operation) *cobra.Command {
	d := command.Description{Effect: changes}
	for _, name := range strings.Fields(use)[1:] {
		d.Arguments = append(d.Arguments, command.Argument{Name: name, Description: operands[name], Required: true})
	}
	cmd := &cobra.Command{Use: use, Short: short, Example: "  tonne serve " + example, RunE: s.operate(run)}
	return s.app.Describe(cmd, d)
}

// operands says what the arguments of the operator's commands are.
var operands = map[string]string{
	"ID":      "id of what the command is about, as the list prints it",
	"INVOICE": "id of the invoice",
	"FILE":    "path of the file",
	"NAME":    "name of the tenant",
	"CENTS":   "price in US cents per tonne",
}

type operation func(ctx context.Context, m *marketplace.Marketplace, args []string) error

func (s *operator) operate(run operation) func(*cobra.Command, []string) error {
	return command.Do(func(ctx context.Context, _ *cobra.Command, args []string) (err error) {
		m, err := s.open(ctx, marketplace.Options{Existing: !s.create})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.Close()) }()
		err = databaseFailure(run(ctx, m, args))
		if err == nil && m.Made() {
			s.app.Warn("there was no marketplace in %s: a new one was made", databaseName(s.path()))
		}
		return err
	})
}

// failure is an error that is known, and what to do.
type failure struct {
	err        error
	what, todo string
}

// failures are what is wrong with the database or its disk.
var failures = []failure{
	{exchange.ErrFull, "no space is left on the disk of the database", "make room and run it again"},
	{exchange.ErrLocked, "the database is locked by another program", "try again; if it stays so, end the program that keeps it locked"},
	{exchange.ErrUnreachable, "the database cannot be reached", "check whether its server runs and takes changes, and run it again"},
	{exchange.ErrUnknown, exchange.ErrUnknown.Error(), "look whether it was done before you run it again"},
	{exchange.ErrNoBackup, exchange.ErrNoBackup.Error(), "see the page on the service"},
	{exchange.ErrReadOnly, "the database is read-only", checkDatabase},
}

// databaseFailure returns an error that is not known as it is.
func databaseFailure(err error) error {
	for _, known := range failures {
		if errors.Is(err, known.err) {
			return command.Failed(known.todo, "%s", known.what)
		}
	}
	return err
}

func (s *operator) keysCommand() *cobra.Command {
	return s.app.Group("keys", "Create, list and deactivate API keys", "  tonne serve keys create --tenant acme --create-tenant\n  tonne serve keys list\n  tonne serve keys deactivate ID",
		s.createKeyCommand(), s.listKeysCommand(), s.deactivateKeyCommand())
}

func (s *operator) createKeyCommand() *cobra.Command {
	var tenant, role, name string
	var cmd *cobra.Command
	cmd = changeCommand(s, "create", "Create an API key and print it, once", "keys create --tenant acme --create-tenant", command.WritesLocal,
		createdKeyColumns, func(ctx context.Context, m *marketplace.Marketplace, _ []string) (key exchange.NewKey, sentence string, err error) {
			if !s.create {
				if err := s.checkTenant(ctx, m, tenant); err != nil {
					return key, "", err
				}
			}
			of := ""
			if cmd.Flags().Changed("role") {
				of = role
			}
			key, err = m.CreateKey(ctx, tenant, of, name)
			if errors.Is(err, exchange.ErrMaxKeys) {
				return key, "", command.Failed("deactivate one: `tonne serve keys list` names them", "%s has as many active keys as it may have", tenant)
			}
			return key, "id " + key.ID + "\nkey " + key.Secret, s.notDone(err, checkDatabase)
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
	cmd.Flags().StringVar(&role, "role", exchange.RoleAPIUser, "`ROLE` of the key's user; of a tenant that is there, its own")
	cmd.Flags().StringVar(&name, "name", "", "`NAME` that tells the key from others")
	return cmd
}

func (s *operator) listKeysCommand() *cobra.Command {
	return listCommand(s, "list", "List the API keys of all tenants; the keys themselves are not kept", "keys list", command.Reads, keyColumns,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) ([]exchange.Key, error) {
			return exchange.Read(ctx, m, exchange.Keys)
		})
}

func (s *operator) deactivateKeyCommand() *cobra.Command {
	return changeCommand(s, "deactivate ID", "Make an API key invalid for good", "keys deactivate 00n000000000000001", command.Irrevocable,
		keyColumns.Pick("id", "is_active"), func(ctx context.Context, m *marketplace.Marketplace, args []string) (exchange.Key, string, error) {
			ended := exchange.Key{ID: args[0]}
			err := m.Operate(ctx, "deactivate API key", func(c *exchange.Change) { exchange.DeactivateKey(c, ended.ID) })
			if err != nil {
				return ended, "", s.notDone(err, "`tonne serve keys list` names the keys")
			}
			return ended, "the key is deactivated", s.warnOfLastKey(ctx, m, ended.ID)
		})
}

// A key that has leaked must end now, also if it is the last.
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
		s.app.Warn("%s has no active key with the role %s left; `tonne serve keys create --tenant NAME` makes another", ended.Tenant, ended.Role)
	}
	return nil
}

func (s *operator) invoicesCommand() *cobra.Command {
	cmd := s.listInvoicesCommand("invoices", "List the invoices that are not settled", "invoices", &exchange.BillFilter{Open: true})
	var filter exchange.BillFilter
	list := s.listInvoicesCommand("list", "List the invoices, oldest first", "invoices list --open", &filter)
	list.Flags().BoolVar(&filter.Open, "open", false, "only those that are not settled")
	list.Flags().StringVar(&filter.Tenant, "tenant", "", "only those of the tenant with the `NAME`")
	cmd.AddCommand(list)
	return cmd
}

func (s *operator) listInvoicesCommand(use, short, example string, filter *exchange.BillFilter) *cobra.Command {
	return listCommand(s, use, short, example, command.Reads, invoiceColumns, func(ctx context.Context, m *marketplace.Marketplace, _ []string) ([]exchange.Bill, error) {
		return exchange.Read(ctx, m, func(tx exchange.Tx) []exchange.Bill { return exchange.Invoices(tx, *filter) })
	})
}

func (s *operator) settleCommand() *cobra.Command {
	return changeCommand(s, "settle INVOICE", "Settle an invoice: what waited for it goes to the registry", "settle 00i000000000000001", command.Irrevocable,
		invoiceColumns.Pick("id", "state"), func(ctx context.Context, m *marketplace.Marketplace, args []string) (exchange.Bill, string, error) {
			err := m.Operate(ctx, "settle invoice", func(c *exchange.Change) { exchange.Settle(c, args[0]) })
			return exchange.Bill{ID: args[0], State: exchange.InvoiceSettled}, "the invoice is settled",
				s.notDone(err, "`tonne serve invoices list --open` lists those that are open")
		})
}

func (s *operator) closeMonthCommand() *cobra.Command {
	return changeCommand(s, "close-month", "End the month of accounts: open requests close, invoices are issued", "close-month", command.Irrevocable,
		monthColumns, func(ctx context.Context, m *marketplace.Marketplace, _ []string) (exchange.MonthEnd, string, error) {
			end, err := marketplace.Operate(ctx, m, "close the month", exchange.CloseMonth)
			return end, fmt.Sprintf("month %s: %s closed, %d with nothing to process, %s", end.Month, model.Count(end.Closed, "request", "requests"),
				end.NothingToProcess, model.Count(end.Invoices, "invoice", "invoices")), s.notDone(err, checkDatabase)
		})
}

func (s *operator) backupCommand() *cobra.Command {
	return changeCommand(s, "backup FILE", "Write the database as it is now into a new file", "backup /backup/market.db", command.WritesLocal,
		backupColumns, func(ctx context.Context, m *marketplace.Marketplace, args []string) (file, sentence string, err error) {
			err = m.Backup(ctx, args[0])
			if errors.Is(err, fs.ErrExist) {
				return "", "", command.Failed("name a new file", "%s is there already", args[0])
			}
			return args[0], "the backup is written", s.notDone(err, checkDatabase)
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
