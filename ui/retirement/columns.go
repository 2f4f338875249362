package retirement

import (
	"tonne/model"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

// spec lists the columns of the ledger.
func spec(v *tab.View) table.Spec[*entry] {
	return table.Spec[*entry]{
		Search: func(dst []byte, e *entry) []byte {
			dst = append(append(dst, e.id...), '\n')
			dst = append(append(dst, e.label...), '\n')
			dst = append(append(dst, stateText(e)...), '\n')
			return append(append(dst, e.project...), '\n')
		},
		Columns: append([]table.Column[*entry]{
			{Key: "mark", Title: "", Max: 1, Cell: markCell},
			{Key: "id", Title: "REQUEST", Help: "The id of the retirement request.", Min: 18, Max: 24,
				Cell: func(c *style.Cell, e *entry) { c.Put(style.Text, e.id) }, Text: func(e *entry) string { return e.id }},
			{Key: "state", Title: "STATE", Help: "The state at the last look-up.", Min: 11, Max: 18, Priority: 2,
				Cell: stateCell, Text: stateText},
			{Key: "label", Title: "LABEL", Help: "Your name for it.", Min: 12, Ideal: 16, Max: 40, Priority: 1,
				Cell: labelCell, Text: func(e *entry) string { return e.label }},
			{Key: "quantity", Title: "QUANTITY", Help: "The whole request.", Align: style.Right, Priority: 3, Number: quantity,
				Cell: func(c *style.Cell, e *entry) {
					if e.answer != nil {
						c.PutBytes(style.Text, v.AppendQuantity(c.Scratch(), e.answer.TotalQuantity))
					}
				}},
		}, moreColumns(v)...),
	}
}

// moreColumns lists the columns that are hidden until somebody wants them.
func moreColumns(v *tab.View) []table.Column[*entry] {
	text := func(key, title, help string, value func(*entry) string) table.Column[*entry] {
		return table.Column[*entry]{Key: key, Title: title, Help: help, Hidden: true, Min: 10, Max: 30, Priority: 4, Text: value,
			Cell: func(c *style.Cell, e *entry) { c.Put(style.Muted, value(e)) }}
	}
	stamp := func(key, title, help string, value func(*entry) model.Timestamp) table.Column[*entry] {
		return table.Column[*entry]{Key: key, Title: title, Help: help, Hidden: true, Priority: 4,
			Number: func(e *entry) (int64, bool) { at := value(e); return at.Time.UnixMilli(), at.Known() },
			Cell:   func(c *style.Cell, e *entry) { c.Put(style.Muted, v.Minute(value(e))) }}
	}
	return []table.Column[*entry]{
		text("project", "PROJECT", "The project whose credits it retires.", func(e *entry) string { return e.project }),
		stamp("created", "CREATED", "When the request was made.", func(e *entry) model.Timestamp {
			if e.answer == nil {
				return model.Timestamp{}
			}
			return e.answer.CreatedAt
		}),
		stamp("retired", "RETIRED", "When it was retired on the registry.", func(e *entry) model.Timestamp {
			if e.answer == nil {
				return model.Timestamp{}
			}
			return e.answer.RetiredAt
		}),
		stamp("entered", "ENTERED", "When you entered it here.", func(e *entry) model.Timestamp { return model.At(e.first) }),
	}
}

func quantity(e *entry) (int64, bool) {
	if e.answer == nil {
		return 0, false
	}
	return int64(e.answer.TotalQuantity), e.answer.TotalQuantity.Known()
}

// labelCell writes the label, and before it that the last look-up failed: this
// column is there where that of the state is not.
func labelCell(c *style.Cell, e *entry) {
	if e.missed() {
		c.Put(style.Warning, failure(e.err))
		if e.label != "" {
			c.Put(style.Muted, " · ")
		}
	}
	c.Put(style.Muted, e.label)
}

func markCell(c *style.Cell, e *entry) {
	switch {
	case e.missed():
		c.Put(style.Warning, "⚠")
	case e.answer != nil:
		c.Put(mark(e.answer.Status))
	case e.err != nil:
		c.Put(style.Warning, "✗")
	case e.fetching:
		c.Put(style.Muted, "…")
	default:
		c.Put(style.Faint, "·")
	}
}

func stateText(e *entry) string {
	switch {
	case e.answer != nil:
		return stateName(e.answer.Status)
	case e.err != nil:
		return tab.Brief(e.err)
	case e.fetching:
		return "looking up"
	}
	return "not yet"
}

func stateCell(c *style.Cell, e *entry) {
	role := style.Text
	switch {
	case e.err != nil:
		role = style.Warning
	case e.answer == nil:
		role = style.Faint
	}
	c.Put(role, stateText(e))
}
