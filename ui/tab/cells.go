package tab

import (
	"tonne/model"
	"tonne/ui/style"
)

// Dash stands in a cell for what is not known.
func Dash(c *style.Cell) { c.Put(style.Faint, "—") }

// PutDollars writes a price or an amount, if it is known.
func PutDollars[D interface{ AppendDollars(dst []byte) []byte }](c *style.Cell, role style.Role, d D, known bool) {
	if !known {
		Dash(c)
		return
	}
	c.PutBytes(role, d.AppendDollars(c.Scratch()))
}

// PutPaid writes what was last paid for a vintage, if that is known.
func PutPaid(c *style.Cell, paid model.LastPaid, known bool) {
	if known {
		c.Put(style.Paid, "★ ")
	}
	PutDollars(c, style.Paid, paid.Price, known)
}
