package retire

import (
	"fmt"

	"tonne/api/retire"
	"tonne/model"
)

// moved says in words what of a plan does not hold any more, and is empty if
// all does. The order of the calls is that in which they are made.
func moved(before, now retire.Supply, calls []model.RetireCall) string {
	if before.Held != now.Held {
		return fmt.Sprintf("your wallet holds %s now, and held %s", now.Held.FormatTonnes(), before.Held.FormatTonnes())
	}
	for _, c := range calls {
		if c.BuyTonnes == 0 {
			continue
		}
		if why := orderMoved(now.Book, c); why != "" {
			return why
		}
	}
	return ""
}

// orderMoved says why the order of a call does not sell what is planned.
func orderMoved(book model.Book, c model.RetireCall) string {
	for _, ask := range book.Asks {
		switch {
		case ask.Order.ID != c.SellOrderID:
		case ask.Order.Price != c.Price:
			return fmt.Sprintf("the price moved: %s → %s", c.Price.FormatDollars(), ask.Order.Price.FormatDollars())
		case ask.Tonnes < c.BuyTonnes:
			return fmt.Sprintf("the order %s sells %d t now, and %d t are planned", c.SellOrderID, ask.Tonnes, c.BuyTonnes)
		default:
			return ""
		}
	}
	return fmt.Sprintf("the order %s was sold or withdrawn", c.SellOrderID)
}
