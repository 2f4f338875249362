package serve

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/model/advice"
	"tonne/model/file/localfile"
	"tonne/ui/cli/command"
)

func (s *operator) invoicesCommand() *cobra.Command {
	var filter exchange.BillFilter
	list := tenantCommand(s, &filter.Tenant, "List the invoices, oldest first", "invoices list --open", invoiceColumns,
		func(tx exchange.Tx) []exchange.Bill {
			return exchange.Invoices(tx, filter)
		})
	list.Flags().BoolVar(&filter.Open, "open", false, "only unsettled invoices")
	list.Flags().StringVar(&filter.Tenant, "tenant", "", "only those of the tenant `NAME`")
	cmd := readCommand(s, "invoices", "List the unsettled invoices", "invoices", invoiceColumns,
		func(tx exchange.Tx) []exchange.Bill {
			return exchange.Invoices(tx, exchange.BillFilter{Open: true})
		})
	cmd.AddCommand(list)
	return cmd
}

func (s *operator) settleCommand() *cobra.Command {
	return changeCommand(s, "settle INVOICE", "Settle an invoice and release the requests waiting for it",
		"settle 00i000000000000001", command.Irrevocable,
		advice.Format("%s lists the unsettled ones", advice.Tonne("serve invoices list --open")),
		invoiceColumns.Pick("id", "state"),
		func(ctx context.Context, m *marketplace.Marketplace, args []string) (exchange.Bill, string, error) {
			err := m.Operate(ctx, "settle invoice", func(c *exchange.Change) { exchange.Settle(c, args[0]) })
			return exchange.Bill{ID: args[0], State: exchange.InvoiceSettled}, "the invoice is settled", err
		})
}

func (s *operator) backupCommand() *cobra.Command {
	overwrite := false
	cmd := changeCommand(s, "backup FILE", "Copy the current database to a new file", "backup /backup/market.db",
		command.WritesLocal, checkDatabase,
		backupColumns,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) (file, sentence string, err error) {
			to := localfile.Target{Path: args[0], Overwrite: overwrite}
			if err := s.checkBackup(to); err != nil {
				return "", "", err
			}
			return to.Path, "backup written", m.Backup(ctx, to)
		})
	cmd.PreRunE = command.Do(func(context.Context, *cobra.Command, []string) error {
		if marketplace.OnServer(s.path()) {
			return command.Failed("see \"Back up and restore\" in docs/postgresql.md", "%v", exchange.ErrNoBackup)
		}
		return nil
	})
	command.OverwriteFlag(cmd, &overwrite)
	return cmd
}

// checkBackup refuses to replace the database itself, and one that a program is using: SQLite keeps a log next to
// it, which would not belong to the backup.
func (s *operator) checkBackup(to localfile.Target) error {
	there, err := os.Stat(to.Path)
	if err != nil {
		return nil
	}
	own, err := os.Stat(s.path())
	_, unused := os.Lstat(to.Path + "-wal")
	if err == nil && os.SameFile(there, own) || to.Overwrite && unused == nil {
		return command.Failed("name another file", "%s is a database in use", to.Path)
	}
	return nil
}
