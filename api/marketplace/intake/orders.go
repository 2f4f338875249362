package intake

import (
	"io"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// ReadOrders reads sell orders from CSV. The error may be an *exchange.FileError.
func ReadOrders(r io.Reader) ([]exchange.OrderLine, error) {
	var f faults
	text, err := readFile(r, &f)
	if err != nil {
		return nil, err
	}
	rows := readRows(text, []string{"vintage_id", "quantity_grams", "price_cents"}, []string{"sell_order_id"}, &f)
	orders := make([]exchange.OrderLine, len(rows))
	lines := make(map[string]int)
	for i, r := range rows {
		o := exchange.OrderLine{
			Line: r.line, VintageID: strings.TrimSpace(r.cells["vintage_id"]), SellOrderID: strings.TrimSpace(r.cells["sell_order_id"]),
			Quantity: model.Grams(f.integer(r.line, "quantity_grams", r.cells["quantity_grams"])),
			Price:    model.PriceCents(f.integer(r.line, "price_cents", r.cells["price_cents"])),
		}
		f.order(o)
		f.once(lines, o.Line, "sell_order_id", o.SellOrderID)
		orders[i] = o
	}
	return orders, f.Err()
}

func (f *faults) order(o exchange.OrderLine) {
	if o.VintageID == "" {
		f.Add(o.Line, "lacks a vintage_id")
	}
	f.text(o.Line, "vintage_id", o.VintageID, maxName)
	f.id(o.Line, "sell_order_id", o.SellOrderID)
	if o.Quantity > 0 && o.Quantity < model.GramsPerTonne {
		f.Add(o.Line, "offers less than a tonne, 1000000 grams, which nobody can buy")
	}
	cost, err := model.CostOf(o.Quantity, o.Price)
	if err == nil {
		_, err = cost.Cents()
	}
	if err != nil && o.Quantity > 0 && o.Price > 0 {
		f.Add(o.Line, "costs more in all than can be counted in cents")
	}
}
