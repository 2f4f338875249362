package serve

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/intake"
	"tonne/model"
	"tonne/ui/cli/command"
)

func (s *operator) ordersCommand() *cobra.Command {
	return s.app.Group("orders", "Import, list, reprice and withdraw sell orders", "  tonne serve orders import orders.csv --seller \"Forest Ltd\"\n  tonne serve orders list\n"+
		"  tonne serve orders reprice 006000000000000001 640\n  tonne serve orders withdraw 006000000000000001",
		s.importOrdersCommand(), s.listOrdersCommand(), s.repriceOrderCommand(), s.withdrawOrderCommand())
}

func (s *operator) importOrdersCommand() *cobra.Command {
	var seller string
	cmd := listCommand(s, "import FILE", "Put sell orders of a seller on the market", "orders import orders.csv --seller \"Forest Ltd\"", command.WritesLocal,
		"`tonne serve tenants list` names the tenants, `tonne serve tenants create` makes one", importedOrderColumns, func(ctx context.Context, m *marketplace.Marketplace, args []string) ([]exchange.ImportedOrder, error) {
			if seller == "" {
				return nil, command.Usage("give --seller NAME; `tonne serve tenants list` names the tenants", "sell orders need a seller")
			}
			file, err := s.app.OpenLines(args[0])
			if err != nil {
				return nil, err
			}
			defer file.Close()
			lines, err := intake.ReadOrders(file)
			if err != nil {
				return nil, err
			}
			return marketplace.Operate(ctx, m, "import sell orders", func(c *exchange.Change) []exchange.ImportedOrder {
				return exchange.ImportOrders(c, seller, lines)
			})
		})
	cmd.Long = "Reads CSV with the columns vintage_id,quantity_grams,price_cents and, if wanted,\n" +
		"sell_order_id; - is standard input. All of a file is taken in or nothing. The credits come\n" +
		"out of the seller's wallet; what it lacks is taken in from the seller's account in the\n" +
		"registry, in whole tonnes. The quantity is what an order offers in all: with ids of your own,\n" +
		"the same file again changes nothing, whatever was sold since."
	cmd.Flags().StringVar(&seller, "seller", "", "`NAME` of the tenant that sells")
	return cmd
}

func (s *operator) listOrdersCommand() *cobra.Command {
	var filter exchange.OrderFilter
	cmd := readCommand(s, "list", "List the sell orders that are live, or others", "orders list --seller \"Forest Ltd\" --state ALL",
		orderColumns, func(tx exchange.Tx) []exchange.OfferedOrder { return exchange.Orders(tx, filter) })
	cmd.Flags().StringVar(&filter.Seller, "seller", "", "only those of the tenant with the `NAME`")
	cmd.Flags().StringVar(&filter.State, "state", exchange.Live, "`STATE` of the orders: LIVE, SOLD, WITHDRAWN or ALL")
	checkState(cmd, &filter.State, "sell order", []string{exchange.Live, exchange.Sold, exchange.Withdrawn, exchange.AnyState})
	return cmd
}

func (s *operator) repriceOrderCommand() *cobra.Command {
	return changeCommand(s, "reprice ID CENTS", "Change the price of a sell order, in cents per tonne", "orders reprice 006000000000000001 640", command.WritesLocal, findOrders,
		orderColumns.Pick("sell_order_id", "price_cents"), func(ctx context.Context, m *marketplace.Marketplace, args []string) (o exchange.OfferedOrder, sentence string, err error) {
			n, err := model.ParseDigits(args[1])
			if err != nil || n == 0 {
				return o, "", command.Usage("write the price in cents per tonne, such as 640", "%s is no price", args[1])
			}
			o.ID, o.Price = args[0], model.PriceCents(n)
			err = m.Operate(ctx, "reprice sell order", func(c *exchange.Change) { exchange.Reprice(c, o.ID, o.Price) })
			return o, "the price is " + o.Price.FormatDollars() + " per tonne", err
		})
}

// findOrders is what to do if an order was not found.
const findOrders = "`tonne serve orders list` names those that are live"

func (s *operator) withdrawOrderCommand() *cobra.Command {
	return changeCommand(s, "withdraw ID", "Take a sell order off the market for good", "orders withdraw 006000000000000001", command.Irrevocable, findOrders,
		withdrawnColumns, func(ctx context.Context, m *marketplace.Marketplace, args []string) (exchange.OfferedOrder, string, error) {
			order, err := marketplace.Operate(ctx, m, "withdraw sell order", func(c *exchange.Change) exchange.SellOrder { return exchange.WithdrawOrder(c, args[0]) })
			return exchange.OfferedOrder{SellOrder: order},
				fmt.Sprintf("the order is withdrawn; %s are back in the seller's wallet", order.Quantity.FormatTonnes()), err
		})
}
