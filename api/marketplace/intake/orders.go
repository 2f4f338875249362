package intake

import (
	"errors"
	"iter"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/file/tabular"
)

// OrderSpec describes a table of sell orders.
func OrderSpec() tabular.Spec {
	return tabular.Spec{Strict: true, Fields: []tabular.Field{
		{Name: "vintage_id", Kind: tabular.ID}, {Name: "quantity_grams", Kind: tabular.Grams, Known: "grams"},
		{Name: "price_cents", Kind: tabular.Cents}, {Name: "sell_order_id", Kind: tabular.ID, Optional: true},
	}}
}

// Orders reads sell orders from a table. After an *exchange.FileError, which is about one line, it
// continues with the next line.
func Orders(r *tabular.Records) iter.Seq2[exchange.OrderLine, error] {
	return func(yield func(exchange.OrderLine, error) bool) {
		for record := range r.All() {
			var f faults
			if order := f.orderLine(record); !yield(order, f.Err()) {
				return
			}
		}
	}
}

// CheckOrders counts the sell orders of a table and checks each line. The error may be an
// *exchange.FileError with the faults of all lines, including those that the table lacks.
func CheckOrders(orders iter.Seq2[exchange.OrderLine, error], of *tabular.FaultsError) (count int, err error) {
	var all faults
	all.addTable(of)
	count = len(of.Faults) + of.More
	for _, err := range orders {
		wrong, ok := errors.AsType[*exchange.FileError](err)
		if err != nil && !ok {
			return 0, err
		}
		if ok {
			all.Join(wrong)
		}
		count++
	}
	all.sort()
	return count, all.Err()
}

func (f *faults) orderLine(r tabular.Record) exchange.OrderLine {
	grams, _, _ := r.Number("quantity_grams")
	cents, _, _ := r.Number("price_cents")
	o := exchange.OrderLine{
		Line: r.Line, VintageID: r.Text("vintage_id"), SellOrderID: r.Text("sell_order_id"),
		Quantity: model.Grams(f.positive(r.Line, "quantity_grams", grams)),
		Price:    model.PriceCents(f.positive(r.Line, "price_cents", cents)),
	}
	f.order(o)
	return o
}

func (f *faults) order(o exchange.OrderLine) {
	if o.VintageID == "" {
		f.Add(o.Line, "lacks a vintage_id")
	}
	f.text(o.Line, "vintage_id", o.VintageID, maxName)
	f.id(o.Line, "sell_order_id", o.SellOrderID)
	if o.Quantity > 0 && o.Quantity < model.GramsPerTonne {
		f.Add(o.Line, "offers less than one tonne (1000000 grams), the minimum")
	}
	cost, err := model.CostOf(o.Quantity, o.Price)
	if err == nil {
		_, err = cost.Cents()
	}
	if err != nil && o.Quantity > 0 && o.Price > 0 {
		f.Add(o.Line, "has a total price that is too large")
	}
}
