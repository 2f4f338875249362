package details

import (
	"slices"

	"tonne/model"
	"tonne/model/retirement"
	"tonne/ui/style"
)

type itemColumn struct {
	title  string
	width  int
	right  bool
	needed bool
	cell   func(item *retirement.Item) style.Span
}

const (
	// created and amount are the positions of the CREATED and QUANTITY columns.
	created, amount = 0, 1
	// The RETIREE column takes or gives the remaining width, from narrowestName to widestName.
	retiree                   = "RETIREE"
	widestName, narrowestName = 40, 7
	// idWidth is the width of an id, itemGap the gap between two columns.
	idWidth, itemGap = 18, 2
)

func (p *Pane) itemColumns(items []retirement.Item) []itemColumn {
	taxID := style.Width(retirement.MaskTaxID("123456789"))
	if p.taxIDs {
		taxID = 16
	}
	id := func(id string) style.Span { return orNone(style.ClipMiddle(id, idWidth)) }
	columns := []itemColumn{
		{"CREATED", 7, false, false,
			func(i *retirement.Item) style.Span { return style.Span{Text: p.view.Day(i.CreatedAt)} }},
		{"QUANTITY", 8, true, true,
			func(i *retirement.Item) style.Span { return style.Span{Text: p.view.Quantity(i.Quantity)} }},
		{retiree, 18, false, true, func(i *retirement.Item) style.Span { return orNone(i.RetireeName) }},
		{"TAX ID", taxID, false, true, func(i *retirement.Item) style.Span { return orNone(p.taxID(i)) }},
		{"CC", 2, false, true, func(i *retirement.Item) style.Span { return orNone(i.RetireeCountry) }},
		{"INVOICE", idWidth, false, false, func(i *retirement.Item) style.Span { return id(i.InvoiceID) }},
		{"TRADE", idWidth, false, false, func(i *retirement.Item) style.Span { return id(i.TradeID) }},
	}
	// Numbers and dates must not be cut: a cut one looks like a different value.
	for i := range items {
		for _, n := range [...]int{created, amount} {
			columns[n].width = max(columns[n].width, style.Width(columns[n].cell(&items[i]).Text))
		}
	}
	return fitting(columns, p.width+itemGap)
}

func fitting(columns []itemColumn, room int) []itemColumn {
	for _, c := range columns {
		if c.needed {
			room -= c.width + itemGap
		}
	}
	columns = slices.DeleteFunc(columns, func(c itemColumn) bool {
		if c.needed || room < c.width+itemGap {
			return !c.needed
		}
		room -= c.width + itemGap
		return false
	})
	for i := range columns {
		if name := &columns[i]; name.title == retiree {
			name.width = min(max(name.width+room, narrowestName), widestName)
		}
	}
	return columns
}

func (p *Pane) taxID(i *retirement.Item) string {
	if p.taxIDs {
		return i.RetireeTaxID
	}
	return retirement.MaskTaxID(i.RetireeTaxID)
}

// HiddenTaxIDs returns the tax ids of the request if they are masked, else nil.
func (p *Pane) HiddenTaxIDs() (hidden []string) {
	if p.taxIDs || p.subject == nil || p.subject.Answer == nil {
		return nil
	}
	for _, item := range p.subject.Answer.Items {
		if item.RetireeTaxID != "" && !slices.Contains(hidden, item.RetireeTaxID) {
			hidden = append(hidden, item.RetireeTaxID)
		}
	}
	return hidden
}

func orNone(s string) style.Span {
	if s == "" {
		return style.Span{Role: style.Warning, Text: "none"}
	}
	return style.Span{Text: s}
}

func (p *Pane) addItems(items []retirement.Item) {
	if len(items) == 0 {
		p.heading("ITEMS", "")
		p.text(style.Muted, "The service lists no items for this request.")
		return
	}
	p.heading("ITEMS", model.Count(len(items), "call", "calls"))
	columns := p.itemColumns(items)
	put := func(cell func(c itemColumn) style.Span) func(l *style.Line) {
		return func(l *style.Line) {
			for _, c := range columns {
				if s := cell(c); c.right {
					l.PutRight(s.Role, s.Text, c.width)
				} else {
					l.PutLeft(s.Role, s.Text, c.width)
				}
				l.Gap(itemGap)
			}
		}
	}
	p.add(put(func(c itemColumn) style.Span { return style.Span{Role: style.Heading, Text: c.title} }))
	for i := range items {
		item := &items[i]
		name := "item " + item.ID
		p.thing(item.ID, "the item's id", put(func(c itemColumn) style.Span { return c.cell(item) })).Unfolds = name
		if p.unfolded[name] {
			p.addItem(item)
		}
	}
}

func (p *Pane) addItem(item *retirement.Item) {
	part := func(name, shown, copied string) { p.value(2, name, orNone(shown), copied) }
	part("item", p.id(item.ID), item.ID)
	part("created", p.view.Moment(item.CreatedAt), item.CreatedAt.Text)
	part("quantity", p.view.Quantity(item.Quantity), item.Quantity.String())
	part("retiree", item.RetireeName, item.RetireeName)
	part("tax id", p.taxID(item), p.taxID(item))
	part("country", item.RetireeCountry, item.RetireeCountry)
	part("invoice", p.id(item.InvoiceID), item.InvoiceID)
	part("trade", p.id(item.TradeID), item.TradeID)
	for _, f := range item.Extra {
		part(f.Name, f.Value, f.Value)
	}
}
