package exchange

import (
	"fmt"

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
	Line int
	SellOrder
	VintageID string
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
// so the same file again changes nothing. It fails with ErrUnknownTenant or a *FileError.
func ImportOrders(c *Change, seller string, lines []OrderLine) []ImportedOrder {
	of := FindTenant(c, seller)
	if of.Number == 0 {
		c.Fail(ErrUnknownTenant)
	}
	imported := make([]ImportedOrder, len(lines))
	var faults FileError
	for i, line := range lines {
		imported[i] = importOrder(c, of.Number, line, &faults)
	}
	c.Fail(faults.Err())
	return imported
}

func importOrder(c *Change, seller int64, line OrderLine, faults *FileError) ImportedOrder {
	done := ImportedOrder{Line: line.Line, VintageID: line.VintageID, Outcome: LineAdded}
	v := findVintage(c, line.VintageID)
	if v.Number == 0 {
		faults.Add(line.Line, "names a vintage_id that nothing has: %s", line.VintageID)
		return done
	}
	if done.SellOrder = FindOrder(c, line.SellOrderID); done.Number > 0 {
		done.Outcome = reimport(c, seller, v, done.SellOrder, line, faults)
		return done
	}
	done.SellOrder = Supply(c, SellOrder{ID: line.SellOrderID, Vintage: v, Seller: seller, Price: line.Price, Quantity: line.Quantity})
	c.Audit("offer", done.ID, describeOffer(line))
	return done
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
