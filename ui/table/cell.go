package table

import (
	"tonne/model/field"
	"tonne/ui/style"
)

// Look returns the style of a value with a role, and the sign before it.
func Look(r field.Role) (role style.Role, sign string) {
	switch r {
	case field.BestAsk:
		return style.Strong, ""
	case field.LastPaid:
		return style.Paid, "★ "
	case field.Cheaper:
		return style.Cheaper, "▼ "
	case field.Even:
		return style.Muted, ""
	case field.Dearer:
		return style.Warning, "▲ "
	case field.Warning:
		return style.Warning, "✗ "
	}
	return style.Text, ""
}

// Put writes a value in its role, or else in a style. Null is a dash.
func Put(c *style.Cell, v field.Value, plain style.Role, u field.Units) {
	if v.IsNull() && v.Blank() {
		c.Put(style.Faint, "—")
		return
	}
	role, sign := Look(v.Role())
	if v.Role() == field.Plain {
		role = plain
	}
	if text, ok := v.IsText(); ok && sign == "" {
		c.Put(role, text)
		return
	}
	c.PutBytes(role, v.Append(append(c.Scratch(), sign...), u))
}

// draw writes the cell of a row.
func (c *Column[R]) draw(cell *style.Cell, row R, u field.Units) {
	switch {
	case c.Cell != nil:
		c.Cell(cell, row)
	case c.Value != nil:
		if v := c.Value(row); !(c.Bare && v.Blank()) {
			Put(cell, v, c.Style, u)
		}
	}
}
