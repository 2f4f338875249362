package serve

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/intake"
	"tonne/model"
	"tonne/model/advice"
	"tonne/model/file/tabular"
	"tonne/ui/cli/command"
	"tonne/ui/cli/filing"
	"tonne/ui/cli/listing"
	"tonne/ui/output"
)

func (s *operator) ordersCommand() *cobra.Command {
	return s.app.Group("orders", "Import, list, reprice and withdraw sell orders",
		"  tonne serve orders import orders.csv --seller \"Forest Ltd\"\n  tonne serve orders list\n"+
			"  tonne serve orders reprice 006000000000000001 640\n  tonne serve orders withdraw 006000000000000001",
		s.importOrdersCommand(), s.listOrdersCommand(), s.repriceOrderCommand(), s.withdrawOrderCommand())
}

func (s *operator) importOrdersCommand() *cobra.Command {
	var seller string
	var format output.Format
	var input *filing.Table
	cmd := s.command("import FILE", "Add sell orders of a seller to the market",
		"orders import orders.csv --seller \"Forest Ltd\"", command.WritesLocal,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) error {
			if seller == "" {
				return command.Usage(advice.Format("give --seller NAME; %s lists the tenants", advice.Tonne("serve tenants list")),
					"sell orders need a seller")
			}
			err := s.importOrders(ctx, m, input, args[0], seller, format)
			if err != nil {
				return s.notDone(err, advice.Format("%s, %s adds one", listsTenants, advice.Tonne("serve tenants create")))
			}
			return nil
		})
	cmd.Long = "Reads CSV or .xlsx with the columns vintage_id,quantity_grams,price_cents and optionally " +
		"sell_order_id;\n" +
		"- is standard input. The import is all-or-nothing. The credits come from the seller's wallet;\n" +
		"missing credits are transferred in whole tonnes from the seller's registry account. The quantity\n" +
		"is the total that the order ever offers. If you give your own ids, importing a file twice changes\n" +
		"nothing, even if part of it was sold in between.\n\n" +
		"A file may have at most 1,000,000 lines, and 64 MiB. An import takes about 10 seconds per 100,000\n" +
		"lines. Meanwhile the service shows the market, but purchases wait. A purchase that waits longer\n" +
		"than 5 seconds gets status 503 and can be repeated. -o json and -o csv keep the rows in memory\n" +
		"until the import is committed."
	cmd.Flags().StringVar(&seller, "seller", "", "`NAME` of the tenant that sells")
	input = s.tableFlags(cmd)
	input.AddFormats(cmd.Flags(), false)
	s.app.SelectionFlags(cmd)
	prints(s, cmd, &format, importedOrderColumns, "[].")
	return cmd
}

// importOrders checks the whole file before it acquires the lock that blocks purchases.
func (s *operator) importOrders(
	ctx context.Context, m *marketplace.Marketplace, input *filing.Table, path, seller string, format output.Format,
) error {
	table, err := input.Read(ctx, path, tabular.Largest)
	if err != nil {
		return err
	}
	records, faults, err := input.Records(path, table, intake.OrderSpec())
	if err != nil {
		return err
	}
	defer s.app.ClearProgress()
	checked := counting(ctx, intake.Orders(records), func(n int) { s.app.ShowProgress("checked %s", lines(n)) })
	all, err := intake.CheckOrders(checked, faults)
	if err != nil {
		return err
	}
	orders := counting(ctx, intake.Orders(records),
		func(n int) { s.app.ShowProgress("imported %s of %s", model.FormatNumber(int64(n)), lines(all)) })
	sentence := format == output.Table && s.app.Selection.Empty()
	var imported []exchange.ImportedOrder
	counts, err := marketplace.Operate(ctx, m, "import sell orders", func(c *exchange.Change) exchange.Counts {
		imported = nil
		return exchange.ImportOrders(c, seller, orders, func(o exchange.ImportedOrder) {
			if !sentence {
				imported = append(imported, o)
			}
		})
	})
	s.app.ClearProgress()
	if err != nil {
		return err
	}
	if sentence {
		_, err = fmt.Fprintln(s.app.Data(), "sell orders: "+counted(counts))
		return err
	}
	return listing.NewFormats(s.app, importedOrderColumns, slices.Values(imported)).Print(format)
}

func lines(n int) string { return model.Count(n, "line", "lines") }

// counting calls tell after every 10,000 orders. It ends with an error when ctx is done.
func counting(ctx context.Context, orders iter.Seq2[exchange.OrderLine, error],
	tell func(n int)) iter.Seq2[exchange.OrderLine, error] {
	return func(yield func(exchange.OrderLine, error) bool) {
		n := 0
		for order, err := range orders {
			if n++; n%10_000 == 0 {
				tell(n)
			}
			if !yield(order, cmp.Or(ctx.Err(), err)) {
				return
			}
		}
	}
}

func (s *operator) listOrdersCommand() *cobra.Command {
	var filter exchange.OrderFilter
	cmd := tenantCommand(s, &filter.Seller, "List sell orders: the live ones, or those in --state",
		"orders list --seller \"Forest Ltd\" --state ALL",
		orderColumns, func(tx exchange.Tx) []exchange.OfferedOrder { return exchange.Orders(tx, filter) })
	cmd.Flags().StringVar(&filter.Seller, "seller", "", "only those of the tenant `NAME`")
	cmd.Flags().StringVar(&filter.State, "state", exchange.Live, "`STATE` of the orders: LIVE, SOLD, WITHDRAWN or ALL")
	checkState(cmd, &filter.State, "sell order",
		[]string{exchange.Live, exchange.Sold, exchange.Withdrawn, exchange.AnyState})
	return cmd
}

func (s *operator) repriceOrderCommand() *cobra.Command {
	return changeCommand(s, "reprice ID CENTS", "Change the price of a sell order, in cents per tonne",
		"orders reprice 006000000000000001 640", command.WritesLocal, findOrders,
		orderColumns.Pick("sell_order_id", "price_cents"),
		func(ctx context.Context, m *marketplace.Marketplace, args []string) (o exchange.OfferedOrder, sentence string,
			err error) {
			n, err := model.ParseDigits(args[1])
			if err != nil || n == 0 {
				return o, "", command.Usage("write the price in cents per tonne, such as 640", "%s is not a price", args[1])
			}
			o.ID, o.Price = args[0], model.PriceCents(n)
			err = m.Operate(ctx, "reprice sell order", func(c *exchange.Change) { exchange.Reprice(c, o.ID, o.Price) })
			return o, "the price is " + o.Price.FormatDollars() + " per tonne", err
		})
}

// findOrders is the advice if an order was not found.
var findOrders = advice.Format("%s lists the live orders", advice.Tonne("serve orders list"))

func (s *operator) withdrawOrderCommand() *cobra.Command {
	return changeCommand(s, "withdraw ID", "Remove a sell order from the market permanently",
		"orders withdraw 006000000000000001", command.Irrevocable, findOrders,
		withdrawnColumns,
		func(ctx context.Context, m *marketplace.Marketplace, args []string) (exchange.OfferedOrder, string, error) {
			order, err := marketplace.Operate(ctx, m, "withdraw sell order",
				func(c *exchange.Change) exchange.SellOrder { return exchange.WithdrawOrder(c, args[0]) })
			return exchange.OfferedOrder{SellOrder: order},
				fmt.Sprintf("the order is withdrawn; %s are back in the seller's wallet", order.Quantity.FormatTonnes()), err
		})
}
