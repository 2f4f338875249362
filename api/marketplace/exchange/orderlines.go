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

// ImportOrders puts the sell orders of a seller on the market, and changes
// those that it has under the id of a line. The quantity of a line is what the
// order offers in all, with what is sold of it: so the same file again changes
// nothing. The seller is the name of a tenant. The error is ErrUnknownTenant, or a
// *FileError if a line does not fit what is there.
func (c *Change) ImportOrders(seller string, lines []OrderLine) ([]ImportedOrder, error) {
	of, err := c.FindTenant(seller)
	if err != nil {
		return nil, err
	}
	imported := make([]ImportedOrder, len(lines))
	var faults LineFaults
	for i, line := range lines {
		if imported[i], err = c.importOrder(of.Number, line, &faults); err != nil {
			return nil, err
		}
	}
	return imported, faults.Err()
}

func (c *Change) importOrder(seller int64, line OrderLine, faults *LineFaults) (one ImportedOrder, err error) {
	one = ImportedOrder{Line: line.Line, VintageID: line.VintageID, Outcome: LineAdded}
	v := c.vintage(line.VintageID)
	if v.Number == 0 {
		faults.Add(line.Line, "names a vintage_id that nothing has: %s", line.VintageID)
		return one, nil
	}
	if one.SellOrder = c.SellOrder(line.SellOrderID); one.Number > 0 {
		one.Outcome, err = c.reimport(seller, v, one.SellOrder, line, faults)
		return one, err
	}
	one.SellOrder, err = c.Supply(SellOrder{ID: line.SellOrderID, Vintage: v, Seller: seller, Price: line.Price, Quantity: line.Quantity})
	c.Audit("offer", one.ID, describeOffer(line))
	return one, err
}

func describeOffer(line OrderLine) string {
	return fmt.Sprintf("%d g at %d cents", line.Quantity, line.Price)
}

func (c *Change) reimport(seller int64, v Vintage, s SellOrder, line OrderLine, faults *LineFaults) (outcome string, err error) {
	sold, err := c.sold(s)
	if err != nil {
		return "", err
	}
	left := line.Quantity - sold
	switch {
	case s.Seller != seller:
		faults.Add(line.Line, "has a sell_order_id that is another seller's")
	case s.Vintage != v:
		faults.Add(line.Line, "has a sell_order_id that is of another vintage")
	case s.State == Withdrawn:
		faults.Add(line.Line, "has a sell_order_id that is withdrawn: give it another, or leave the line out")
	case s.State == Sold && left >= 0 && left < model.GramsPerTonne:
		return LineUnchanged, nil
	case s.State == Sold:
		faults.Add(line.Line, "has a sell_order_id that is sold out at %d g: offer more under another", sold)
	case left < model.GramsPerTonne:
		faults.Add(line.Line, "offers too little: %d g are sold, and less than a tonne would be left; withdraw the order instead", sold)
	case left == s.Quantity && line.Price == s.Price:
		return LineUnchanged, nil
	default:
		return LineChanged, c.changeOffer(s, left, line)
	}
	return "", nil
}

// changeOffer changes what a live order offers, and its price. The difference
// comes out of the seller's wallet as in Supply, or goes back into it.
func (c *Change) changeOffer(s SellOrder, left model.Grams, line OrderLine) (err error) {
	if more := left - s.Quantity; more > 0 {
		err = c.draw(s, more)
	} else if more < 0 {
		err = c.giveBack(s, -more)
	}
	if err != nil {
		return err
	}
	s.Quantity, s.Price = left, line.Price
	c.update(s)
	c.Audit("change offer", s.ID, describeOffer(line))
	return nil
}
