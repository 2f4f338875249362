package exchange

import (
	"fmt"
	"iter"
	"strings"

	"tonne/model"
)

// OrderLine is a sell order in a file. A sell order without an id gets a new one.
type OrderLine struct {
	Line        int
	SellOrderID string
	VintageID   string
	Quantity    model.Grams
	Price       model.PriceCents
}

// ImportedOrder is the result of importing a line.
type ImportedOrder struct {
	Line          int
	ID, VintageID string
	// Outcome is LineAdded, LineChanged or LineUnchanged.
	Outcome string
}

// Outcomes of a line.
const (
	LineAdded     = "added"
	LineChanged   = "changed"
	LineUnchanged = "unchanged"
)

// ImportOrders adds the sell orders of a tenant to the market, and changes existing ones.
// The quantity of a line includes what is already sold, so that importing the same file
// twice changes nothing. It calls done after each line. It fails with ErrUnknownTenant, a
// *FileError or the error of a line.
func ImportOrders(c *Change, seller string, lines iter.Seq2[OrderLine, error],
	done func(ImportedOrder)) (counts Counts) {
	of := FindTenant(c, seller)
	if of.Number == 0 {
		c.Fail(ErrUnknownTenant)
	}
	i := orderImport{Change: c, seller: of.Number, vintages: make(map[string]Vintage), seen: make(map[int64]uint64)}
	for line, err := range lines {
		if c.Fail(err); c.Err() != nil || i.faults.More > 0 {
			break
		}
		order := i.line(line)
		counts.count(order.Outcome == LineAdded, order.Outcome == LineChanged)
		done(order)
	}
	c.Fail(i.faults.Err())
	return counts
}

// orderImport is the state of importing a file. Its size does not depend on the number of
// lines without a sell_order_id.
type orderImport struct {
	*Change
	seller   int64
	vintages map[string]Vintage
	// seen is a bit set of the numbers of the orders of all lines so far.
	seen   map[int64]uint64
	faults FileError
}

func (i *orderImport) line(line OrderLine) ImportedOrder {
	done := ImportedOrder{Line: line.Line, ID: line.SellOrderID, VintageID: line.VintageID, Outcome: LineAdded}
	v := i.vintage(line.VintageID)
	if v.Number == 0 {
		i.faults.Add(line.Line, "has an unknown vintage_id: %s", line.VintageID)
		return done
	}
	var s SellOrder
	if line.SellOrderID != "" {
		s = FindOrder(i, line.SellOrderID)
	}
	switch {
	case s.Number == 0:
		s = Supply(i.Change,
			SellOrder{ID: line.SellOrderID, Vintage: v, Seller: i.seller, Price: line.Price, Quantity: line.Quantity})
		i.Audit("offer", s.ID, describeOffer(line))
		done.ID = s.ID
	case i.seen[s.Number>>6]&(1<<(s.Number&63)) != 0:
		i.faults.Add(line.Line, "has the sell_order_id of an earlier line: %s", line.SellOrderID)
	default:
		done.Outcome = reimport(i.Change, i.seller, v, s, line, &i.faults)
	}
	i.seen[s.Number>>6] |= 1 << (s.Number & 63)
	return done
}

func (i *orderImport) vintage(id string) Vintage {
	v, known := i.vintages[id]
	if !known {
		if v = findVintage(i.Change, id); v.Number != 0 {
			i.vintages[strings.Clone(id)] = v
		}
	}
	return v
}

func describeOffer(line OrderLine) string {
	return fmt.Sprintf("%d g at %d cents", line.Quantity, line.Price)
}

func reimport(c *Change, seller int64, v Vintage, s SellOrder, line OrderLine, faults *FileError) (outcome string) {
	sold := sold(c, s)
	left := line.Quantity - sold
	switch {
	case s.Seller != seller:
		faults.Add(line.Line, "has the sell_order_id of another seller")
	case s.Vintage != v:
		faults.Add(line.Line, "has the sell_order_id of another vintage")
	case s.State == Withdrawn:
		faults.Add(line.Line, "has the sell_order_id of a withdrawn order: use a new id, or delete the line")
	case s.State == Sold && left >= 0 && left < model.GramsPerTonne:
		return LineUnchanged
	case s.State == Sold:
		faults.Add(line.Line, "has the sell_order_id of an order that sold out at %d g: use a new id to offer more", sold)
	case left < model.GramsPerTonne:
		faults.Add(line.Line,
			"offers too little: %d g are already sold, and less than a tonne would be left; withdraw the order instead", sold)
	case left == s.Quantity && line.Price == s.Price:
		return LineUnchanged
	default:
		changeOffer(c, s, left, line)
	}
	return LineChanged
}

func changeOffer(c *Change, s SellOrder, left model.Grams, line OrderLine) {
	if more := left - s.Quantity; more > 0 {
		draw(c, s, more)
	} else if more < 0 {
		returnToSeller(c, s, -more)
	}
	s.Quantity, s.Price = left, line.Price
	updateOrder(c, s)
	c.Audit("change offer", s.ID, describeOffer(line))
}
