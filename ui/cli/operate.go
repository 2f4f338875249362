package cli

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
	"tonne/ui/cli/output"
)

// command is a command of the operator on a database that is there already.
// What follows the name in use are its arguments.
func (s *serveRun) command(use, short, example string, changes effect, run operation) *cobra.Command {
	args, d := cobra.NoArgs, description{effect: changes}
	if names := strings.Fields(use)[1:]; len(names) > 0 {
		args = cobra.ExactArgs(len(names))
		for _, name := range names {
			d.arguments = append(d.arguments, argument{Name: name, Description: operands[name], Required: true})
		}
	}
	cmd := &cobra.Command{Use: use, Short: short, Example: "  tonne serve " + example, Args: args, RunE: s.operateOn(new(bool), run)}
	return s.describe(cmd, d)
}

// printing is a command that prints in the format that flag lets a person choose.
func (s *serveRun) printing(use, short, example string, changes effect, flag func(*serveRun, *cobra.Command) *output.Format,
	run func(ctx context.Context, m *marketplace.Marketplace, args []string, format output.Format) error) *cobra.Command {
	var format *output.Format
	cmd := s.command(use, short, example, changes, func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
		return run(ctx, m, args, *format)
	})
	format = flag(s, cmd)
	return cmd
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
func (s *serveRun) operateOn(create *bool, command operation) func(*cobra.Command, []string) error {
	return do(func(ctx context.Context, _ *cobra.Command, args []string) (err error) {
		m, err := s.open(ctx, *create, marketplace.Options{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.Close()) }()
		err = databaseFailure(command(ctx, m, args))
		if err == nil && m.Made() {
			s.warn("there was no marketplace in %s: a new one was made", databaseName(s.path()))
		}
		return err
	})
}

// databaseFailure says what is wrong with the database or its disk where that
// is known. Any other error it returns as it is.
func databaseFailure(err error) error {
	switch {
	case errors.Is(err, exchange.ErrFull):
		return failed("make room and run it again", "no space is left on the disk of the database")
	case errors.Is(err, exchange.ErrLocked):
		return failed("try again; if it stays so, end the program that keeps it locked", "the database is locked by another program")
	case errors.Is(err, exchange.ErrUnreachable):
		return failed("check whether its server runs and takes changes, and run it again", "the database cannot be reached")
	case errors.Is(err, exchange.ErrUnknown):
		return failed("look whether it was done before you run it again", "%v", exchange.ErrUnknown)
	case errors.Is(err, exchange.ErrNoBackup):
		return failed("see the page on the service", "%v", exchange.ErrNoBackup)
	case errors.Is(err, exchange.ErrReadOnly):
		return failed(checkDatabase, "the database is read-only")
	}
	return err
}

func (s *serveRun) keysCommand() *cobra.Command {
	return s.group("keys", "Create, list and deactivate API keys", "  tonne serve keys create --tenant acme --create-tenant\n  tonne serve keys list\n  tonne serve keys deactivate ID",
		s.createKeyCommand(), s.listKeysCommand(), s.deactivateKeyCommand())
}

// createdKey is a new API key, as JSON.
type createdKey struct {
	ID  string `json:"id"`
	Key string `json:"api_key"`
}

func (s *serveRun) createKeyCommand() *cobra.Command {
	var tenant, role, name string
	var createTenant bool
	var format *output.Format
	var cmd *cobra.Command
	cmd = &cobra.Command{
		Use:     "create --tenant NAME",
		Short:   "Create an API key and print it, once",
		Example: "  tonne serve keys create --tenant acme --create-tenant\n  tonne serve keys create --tenant acme --role \"API User\" --name ci",
		Args:    cobra.NoArgs,
		PreRunE: do(func(context.Context, *cobra.Command, []string) error {
			if tenant == "" {
				return usage("give --tenant NAME", "a key needs a tenant")
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
				return failed("deactivate one: `tonne serve keys list` names them", "%s has as many active keys as it may have", tenant)
			}
			if err != nil {
				return s.notDone(err, checkDatabase)
			}
			err = s.say(*format, createdKey{key.ID, key.Secret}, "id "+key.ID+"\nkey "+key.Secret)
			if err == nil && !s.told.objects {
				s.write("The key is not shown again. Store it with `tonne auth login --base-url ADDRESS`.\n")
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "`NAME` of the tenant")
	cmd.Flags().BoolVar(&createTenant, "create-tenant", false, "create the tenant, and the database, if they do not exist")
	cmd.Flags().StringVar(&role, "role", exchange.RoleAPIUser, "`ROLE` of the key's user; of a tenant that is there, its own")
	cmd.Flags().StringVar(&name, "name", "", "`NAME` that tells the key from others")
	s.describe(cmd, description{effect: writesLocal})
	format = objectFlag[createdKey](s, cmd)
	return cmd
}

// keyObject is an API key, as JSON; the key itself is not kept.
type keyObject struct {
	ID        string       `json:"id"`
	Tenant    string       `json:"tenant"`
	Role      string       `json:"role"`
	Name      string       `json:"name"`
	CreatedAt output.Value `json:"created_at"`
	IsActive  bool         `json:"is_active"`
}

func (s *serveRun) listKeysCommand() *cobra.Command {
	return s.printing("list", "List the API keys of all tenants; the keys themselves are not kept", "keys list", reads,
		listFlag[keyObject], func(ctx context.Context, m *marketplace.Marketplace, _ []string, format output.Format) error {
			keys, err := m.Keys(ctx)
			if err != nil {
				return err
			}
			return printList(s, format, keys, func(k exchange.Key) keyObject {
				return keyObject{k.ID, k.Tenant, k.Role, k.Name, output.Time(model.At(k.CreatedAt)), k.Active}
			}, columns("ID", "TENANT", "ROLE", "NAME", "CREATED", "ACTIVE"), func(k exchange.Key) []string {
				return []string{k.ID, k.Tenant, k.Role, dash(k.Name), day(model.At(k.CreatedAt)), yesNo(k.Active)}
			})
		})
}

func (s *serveRun) deactivateKeyCommand() *cobra.Command {
	return s.command("deactivate ID", "Make an API key invalid for good", "keys deactivate 00n000000000000001", irrevocable,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
			if err := s.report(m.DeactivateKey(ctx, args[0]), "the key is deactivated", "`tonne serve keys list` names the keys"); err != nil {
				return err
			}
			return s.warnOfLastKey(ctx, m, args[0])
		})
}

// warnOfLastKey says so where the user of a key has no active one left. It is
// no reason to refuse: a key that has leaked must end now.
func (s *serveRun) warnOfLastKey(ctx context.Context, m *marketplace.Marketplace, id string) error {
	keys, err := m.Keys(ctx)
	if err != nil {
		return err
	}
	ended := keys[slices.IndexFunc(keys, func(k exchange.Key) bool { return k.ID == id })]
	left := slices.ContainsFunc(keys, func(k exchange.Key) bool {
		return k.Active && k.Tenant == ended.Tenant && k.Role == ended.Role
	})
	if !left {
		s.warn("%s has no active key with the role %s left; `tonne serve keys create --tenant NAME` makes another", ended.Tenant, ended.Role)
	}
	return nil
}

func (s *serveRun) invoicesCommand() *cobra.Command {
	cmd := s.command("invoices", "List invoices", "invoices", reads,
		func(ctx context.Context, m *marketplace.Marketplace, _ []string) error {
			invoices, err := m.Invoices(ctx, exchange.BillFilter{Open: true})
			if err != nil {
				return err
			}
			g := output.NewGrid(output.Heading{Title: "ID"}, output.Heading{Title: "TENANT"}, output.Heading{Title: "MONTH"},
				output.Heading{Title: "TOTAL", Right: true}, output.Heading{Title: "ISSUED"})
			for _, i := range invoices {
				g.Add(i.ID, i.Tenant, i.Month, i.Total.FormatDollars(), yesNo(i.State == exchange.InvoiceIssued))
			}
			return s.grid(g)
		})
	cmd.AddCommand(s.listInvoicesCommand())
	return cmd
}

// settledInvoice is an invoice that was settled, as JSON.
type settledInvoice struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

func (s *serveRun) settleCommand() *cobra.Command {
	return s.printing("settle INVOICE", "Settle an invoice: what waited for it goes to the registry", "settle 00i000000000000001", irrevocable,
		objectFlag[settledInvoice], func(ctx context.Context, m *marketplace.Marketplace, args []string, format output.Format) error {
			if err := m.Settle(ctx, args[0]); err != nil {
				return s.notDone(err, "`tonne serve invoices list --open` lists those that are open")
			}
			return s.say(format, settledInvoice{args[0], exchange.InvoiceSettled}, "the invoice is settled")
		})
}

// closedMonth is what the end of a month did, as JSON.
type closedMonth struct {
	Month            string `json:"month"`
	Closed           int    `json:"closed"`
	NothingToProcess int    `json:"nothing_to_process"`
	Invoices         int    `json:"invoices"`
}

func (s *serveRun) closeMonthCommand() *cobra.Command {
	return s.printing("close-month", "End the month of accounts: open requests close, invoices are issued", "close-month", irrevocable,
		objectFlag[closedMonth], func(ctx context.Context, m *marketplace.Marketplace, _ []string, format output.Format) error {
			end, err := m.CloseMonth(ctx)
			if err != nil {
				return s.notDone(err, checkDatabase)
			}
			return s.say(format, closedMonth{end.Month, end.Closed, end.NothingToProcess, end.Invoices},
				fmt.Sprintf("month %s: %s closed, %d with nothing to process, %s",
					end.Month, model.Count(end.Closed, "request", "requests"), end.NothingToProcess, model.Count(end.Invoices, "invoice", "invoices")))
		})
}

func (s *serveRun) backupCommand() *cobra.Command {
	return s.command("backup FILE", "Write the database as it is now into a new file", "backup /backup/market.db", writesLocal,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
			err := m.Backup(ctx, args[0])
			if errors.Is(err, fs.ErrExist) {
				return failed("name a new file", "%s is there already", args[0])
			}
			return s.report(err, "the backup is written", checkDatabase)
		})
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// checkDatabase is what to do where the database itself failed.
const checkDatabase = "check the file that --db names, and its permissions"

// report says that something was done, or returns why it was not and what to do.
func (s *serveRun) report(err error, done, todo string) error {
	if err != nil {
		return s.notDone(err, todo)
	}
	_, err = fmt.Fprintln(s.data(), done)
	return err
}

// failure is why an operation of the operator failed, and what to do.
func (s *serveRun) failure(err error, todo string) error {
	if known := databaseFailure(err); known != err {
		return known
	}
	var text *marketplace.TextError
	var path *fs.PathError
	switch {
	case errors.As(err, &text):
		return usage("correct it", "%v", err)
	case errors.As(err, &path):
		return err
	}
	return &failure{what: err.Error(), todo: todo, status: operatorStatus(err)}
}

// operatorStatus tells an id that was not found from what failed otherwise.
func operatorStatus(err error) int {
	for _, unknown := range []error{
		exchange.ErrUnknownKey, exchange.ErrUnknownInvoice, exchange.ErrUnknownRequest, exchange.ErrUnknownTenant, exchange.ErrUnknownOrder,
	} {
		if errors.Is(err, unknown) {
			return statusNotFound
		}
	}
	return statusFailed
}
