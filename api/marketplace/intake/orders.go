package intake

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"tonne/api/marketplace/exchange"
	"tonne/model"
)

// Orders reads sell orders from CSV, from the start of the file. After an
// *exchange.FileError, which is about one line, it continues with the next line.
func Orders(file io.ReadSeeker) iter.Seq2[exchange.OrderLine, error] {
	return func(yield func(exchange.OrderLine, error) bool) {
		text, err := fromStart(file)
		if err != nil {
			yield(exchange.OrderLine{}, err)
			return
		}
		var head faults
		s, ok := openSheet(text, []string{"vintage_id", "quantity_grams", "price_cents"}, []string{"sell_order_id"}, &head)
		if !ok {
			yield(exchange.OrderLine{}, head.Err())
			return
		}
		for {
			var f faults
			r, err := s.next(&f)
			if errors.Is(err, io.EOF) {
				err = f.Err()
				if err == nil {
					return
				}
			}
			if err != nil {
				yield(exchange.OrderLine{}, err)
				return
			}
			order := f.orderLine(r)
			if !yield(order, f.Err()) {
				return
			}
		}
	}
}

// fromStart returns a reader from the start of the file, after the byte order mark.
func fromStart(file io.ReadSeeker) (io.Reader, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	text := bufio.NewReader(file)
	const byteOrderMark = "\ufeff"
	if start, _ := text.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, err := text.Discard(len(byteOrderMark))
		return text, err
	}
	return text, nil
}

// CheckOrders counts the sell orders of a file and checks each line. The error may be an
// *exchange.FileError with the faults of all lines.
func CheckOrders(orders iter.Seq2[exchange.OrderLine, error]) (count int, err error) {
	var all exchange.FileError
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
	return count, all.Err()
}

func (f *faults) orderLine(r row) exchange.OrderLine {
	if r.cells == nil {
		return exchange.OrderLine{Line: r.line}
	}
	for _, cell := range r.cells {
		if !utf8.ValidString(cell) {
			f.Add(r.line, "is not UTF-8: save the file as UTF-8")
			return exchange.OrderLine{Line: r.line}
		}
	}
	o := exchange.OrderLine{
		Line: r.line, VintageID: strings.TrimSpace(r.cells["vintage_id"]), SellOrderID: strings.TrimSpace(r.cells["sell_order_id"]),
		Quantity: model.Grams(f.integer(r.line, "quantity_grams", r.cells["quantity_grams"])),
		Price:    model.PriceCents(f.integer(r.line, "price_cents", r.cells["price_cents"])),
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
