package exchange

import (
	"fmt"
	"iter"
	"strings"

	"tonne/model"
)

// OrderLine is a sell order in a file. An empty id is one that is made.
type OrderLine struct {
	Line        int
	SellOrderID string
	VintageID   string
	Quantity    model.Grams
	Price       model.PriceCents
}

// ImportedOrder is what a line of a file became.
type ImportedOrder struct {
	Line          int
	ID, VintageID string
	// Outcome is added, changed or unchanged.
	Outcome string
}

// The outcomes of a line.
const (
	LineAdded     = "added"
	LineChanged   = "changed"
	LineUnchanged = "unchanged"
)

// ImportOrders puts the sell orders of a tenant on the market, and changes those that it
// has. The quantity of a line is what the order offers in all, with what is sold of it:
// so the same file again changes nothing. It calls done for each line. It fails with
// ErrUnknownTenant, a *FileError or the error of a line.
func ImportOrders(c *Change, seller string, lines iter.Seq2[OrderLine, error], done func(ImportedOrder)) (counts Counts) {
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

// orderImport is the import of a file. Its memory does not grow with the file.
type orderImport struct {
	*Change
	seller   int64
	vintages map[string]Vintage
	// seen has a bit for the number of each order of the file so far.
	seen   map[int64]uint64
	faults FileError
}

func (i *orderImport) line(line OrderLine) ImportedOrder {
	done := ImportedOrder{Line: line.Line, ID: line.SellOrderID, VintageID: line.VintageID, Outcome: LineAdded}
	v := i.vintage(line.VintageID)
	if v.Number == 0 {
		i.faults.Add(line.Line, "names a vintage_id that nothing has: %s", line.VintageID)
		return done
	}
	var s SellOrder
	if line.SellOrderID != "" {
		s = FindOrder(i, line.SellOrderID)
	}
	switch {
	case s.Number == 0:
		s = Supply(i.Change, SellOrder{ID: line.SellOrderID, Vintage: v, Seller: i.seller, Price: line.Price, Quantity: line.Quantity})
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
		faults.Add(line.Line, "has a sell_order_id that is another seller's")
	case s.Vintage != v:
		faults.Add(line.Line, "has a sell_order_id that is of another vintage")
	case s.State == Withdrawn:
		faults.Add(line.Line, "has a sell_order_id that is withdrawn: give it another, or leave the line out")
	case s.State == Sold && left >= 0 && left < model.GramsPerTonne:
		return LineUnchanged
	case s.State == Sold:
		faults.Add(line.Line, "has a sell_order_id that is sold out at %d g: offer more under another", sold)
	case left < model.GramsPerTonne:
		faults.Add(line.Line, "offers too little: %d g are sold, and less than a tonne would be left; withdraw the order instead", sold)
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
		giveBack(c, s, -more)
	}
	s.Quantity, s.Price = left, line.Price
	updateOrder(c, s)
	c.Audit("change offer", s.ID, describeOffer(line))
}
