package serve

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/ui/cli/command"
)

func (s *operator) invoicesCommand() *cobra.Command {
	var filter exchange.BillFilter
	list := readCommand(s, "list", "List the invoices, oldest first", "invoices list --open", invoiceColumns, func(tx exchange.Tx) []exchange.Bill {
		return exchange.Invoices(tx, filter)
	})
	list.Flags().BoolVar(&filter.Open, "open", false, "only unsettled invoices")
	list.Flags().StringVar(&filter.Tenant, "tenant", "", "only those of the tenant `NAME`")
	cmd := readCommand(s, "invoices", "List the unsettled invoices", "invoices", invoiceColumns, func(tx exchange.Tx) []exchange.Bill {
		return exchange.Invoices(tx, exchange.BillFilter{Open: true})
	})
	cmd.AddCommand(list)
	return cmd
}

func (s *operator) settleCommand() *cobra.Command {
	return changeCommand(s, "settle INVOICE", "Settle an invoice and release the requests waiting for it", "settle 00i000000000000001", command.Irrevocable,
		"`tonne serve invoices list --open` lists the unsettled ones", invoiceColumns.Pick("id", "state"),
		func(ctx context.Context, m *marketplace.Marketplace, args []string) (exchange.Bill, string, error) {
			err := m.Operate(ctx, "settle invoice", func(c *exchange.Change) { exchange.Settle(c, args[0]) })
			return exchange.Bill{ID: args[0], State: exchange.InvoiceSettled}, "the invoice is settled", err
		})
}

func (s *operator) backupCommand() *cobra.Command {
	return changeCommand(s, "backup FILE", "Copy the current database to a new file", "backup /backup/market.db", command.WritesLocal, checkDatabase,
		backupColumns, func(ctx context.Context, m *marketplace.Marketplace, args []string) (file, sentence string, err error) {
			err = m.Backup(ctx, args[0])
			if errors.Is(err, fs.ErrExist) {
				err = command.Failed("choose another name", "%s already exists", args[0])
			}
			return args[0], "backup written", err
		})
}
