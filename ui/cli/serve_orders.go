package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tonne/api/marketplace"
	"tonne/api/marketplace/exchange"
	"tonne/api/marketplace/intake"
	"tonne/model"
	"tonne/ui/cli/output"
)

func (s *serveRun) ordersCommand() *cobra.Command {
	return s.group("orders", "Import, list, reprice and withdraw sell orders", "  tonne serve orders import orders.csv --seller \"Forest Ltd\"\n  tonne serve orders list\n"+
		"  tonne serve orders reprice 006000000000000001 640\n  tonne serve orders withdraw 006000000000000001",
		s.importOrdersCommand(), s.listOrdersCommand(), s.repriceOrderCommand(), s.withdrawOrderCommand())
}

// importedOrder is a line of an import, as JSON.
type importedOrder struct {
	Line        int    `json:"line"`
	SellOrderID string `json:"sell_order_id"`
	VintageID   string `json:"vintage_id"`
	Outcome     string `json:"outcome"`
}

func (s *serveRun) importOrdersCommand() *cobra.Command {
	var seller string
	cmd := s.printing("import FILE", "Put sell orders of a seller on the market", "orders import orders.csv --seller \"Forest Ltd\"", writesLocal,
		listFlag[importedOrder], func(ctx context.Context, m *marketplace.Marketplace, args []string, format output.Format) error {
			if seller == "" {
				return usage("give --seller NAME; `tonne serve tenants list` names the tenants", "sell orders need a seller")
			}
			file, err := s.openLines(args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			lines, err := intake.ReadOrders(file)
			if err != nil {
				return s.notDone(err, askAbout)
			}
			done, err := m.ImportOrders(ctx, seller, lines)
			if err != nil {
				return s.notDone(err, "`tonne serve tenants list` names the tenants, `tonne serve tenants create` makes one")
			}
			return printList(s, format, done, func(o exchange.ImportedOrder) importedOrder {
				return importedOrder{o.Line, o.ID, o.VintageID, o.Outcome}
			}, columns(">LINE", "ID", "VINTAGE", "OUTCOME"), func(o exchange.ImportedOrder) []string {
				return []string{strconv.Itoa(o.Line), o.ID, o.VintageID, o.Outcome}
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

// orderColumns are those of the table of sell orders: what reprice and withdraw
// take stays on a narrow terminal.
var orderColumns = []output.Heading{
	{Title: "ID"}, {Title: "SELLER", Shrink: 8, Drop: 2}, {Title: "PROJECT", Shrink: 8, Drop: 1}, {Title: "YEAR", Right: true, Drop: 3},
	{Title: "VINTAGE", Drop: 5}, {Title: "LEFT", Right: true}, {Title: "SOLD", Right: true, Drop: 4}, {Title: "PRICE", Right: true}, {Title: "STATE"},
}

// listedOrder is a sell order, as JSON.
type listedOrder struct {
	SellOrderID   string       `json:"sell_order_id"`
	Seller        string       `json:"seller"`
	State         string       `json:"state"`
	QuantityGrams output.Value `json:"quantity_grams"`
	SoldGrams     output.Value `json:"sold_grams"`
	PriceCents    output.Value `json:"price_cents"`
	ProjectID     string       `json:"project_id"`
	ProjectName   string       `json:"project_name"`
	VintageID     string       `json:"vintage_id"`
	VintageYear   int          `json:"vintage_year"`
}

func (s *serveRun) listOrdersCommand() *cobra.Command {
	var filter exchange.OrderFilter
	cmd := s.printing("list", "List the sell orders that are live, or others", "orders list --seller \"Forest Ltd\" --state ALL", reads,
		listFlag[listedOrder], func(ctx context.Context, m *marketplace.Marketplace, _ []string, format output.Format) error {
			chosen := filter
			chosen.State = strings.ToUpper(chosen.State)
			if !slices.Contains([]string{exchange.Live, exchange.Sold, exchange.Withdrawn, exchange.AnyState}, chosen.State) {
				return usage("choose LIVE, SOLD, WITHDRAWN or ALL", "--state %s is no state of a sell order", filter.State)
			}
			orders, err := m.Orders(ctx, chosen)
			if err != nil {
				return err
			}
			return printList(s, format, orders, func(o exchange.OfferedOrder) listedOrder {
				return listedOrder{o.ID, o.Seller, o.State, output.Grams(o.Quantity), output.Grams(o.Sold), output.Price(o.Price),
					o.ProjectID, o.Project, o.VintageID, o.Year}
			}, output.NewGrid(orderColumns...), func(o exchange.OfferedOrder) []string {
				return []string{o.ID, o.Seller, o.Project, strconv.Itoa(o.Year), o.VintageID, o.Quantity.FormatTonnes(),
					o.Sold.FormatTonnes(), o.Price.FormatDollars(), o.State}
			})
		})
	cmd.Flags().StringVar(&filter.Seller, "seller", "", "only those of the tenant with the `NAME`")
	cmd.Flags().StringVar(&filter.State, "state", exchange.Live, "`STATE` of the orders: LIVE, SOLD, WITHDRAWN or ALL")
	return cmd
}

// repricedOrder is a sell order with its new price, as JSON.
type repricedOrder struct {
	SellOrderID string       `json:"sell_order_id"`
	PriceCents  output.Value `json:"price_cents"`
}

func (s *serveRun) repriceOrderCommand() *cobra.Command {
	return s.printing("reprice ID CENTS", "Change the price of a sell order, in cents per tonne", "orders reprice 006000000000000001 640", writesLocal,
		objectFlag[repricedOrder], func(ctx context.Context, m *marketplace.Marketplace, args []string, format output.Format) error {
			n, err := model.ParseDigits(args[1])
			if err != nil || n == 0 {
				return usage("write the price in cents per tonne, such as 640", "%s is no price", args[1])
			}
			price := model.PriceCents(n)
			if err := m.RepriceOrder(ctx, args[0], price); err != nil {
				return s.notDone(err, findOrders)
			}
			return s.say(format, repricedOrder{args[0], output.Price(price)}, "the price is "+price.FormatDollars()+" per tonne")
		})
}

// findOrders is what to do where an order was not found.
const findOrders = "`tonne serve orders list` names those that are live"

// withdrawnOrder is a sell order that was withdrawn, as JSON.
type withdrawnOrder struct {
	SellOrderID   string       `json:"sell_order_id"`
	ReturnedGrams output.Value `json:"returned_grams"`
}

func (s *serveRun) withdrawOrderCommand() *cobra.Command {
	return s.printing("withdraw ID", "Take a sell order off the market for good", "orders withdraw 006000000000000001", irrevocable,
		objectFlag[withdrawnOrder], func(ctx context.Context, m *marketplace.Marketplace, args []string, format output.Format) error {
			order, err := m.WithdrawOrder(ctx, args[0])
			if err != nil {
				return s.notDone(err, findOrders)
			}
			return s.say(format, withdrawnOrder{args[0], output.Grams(order.Quantity)},
				fmt.Sprintf("the order is withdrawn; %s are back in the seller's wallet", order.Quantity.FormatTonnes()))
		})
}
