package details

import (
	"slices"

	"tonne/model"
	"tonne/ui/style"
)

type itemColumn struct {
	title  string
	width  int
	align  style.Align
	needed bool
	cell   func(item *model.RetirementItem) span
}

func (p *Pane) itemColumns(items []model.RetirementItem) []itemColumn {
	taxID := style.Width(model.MaskTaxID("123456789"))
	if p.taxIDs {
		taxID = 16
	}
	columns := []itemColumn{
		{"CREATED", 7, style.Left, false, func(i *model.RetirementItem) span { return span{role: style.Text, text: p.view.Day(i.CreatedAt)} }},
		{"QUANTITY", 8, style.Right, true, func(i *model.RetirementItem) span { return span{role: style.Text, text: p.view.Quantity(i.Quantity)} }},
		{retiree, 18, style.Left, true, func(i *model.RetirementItem) span { return orNone(i.RetireeName) }},
		{"TAX ID", taxID, style.Left, true, func(i *model.RetirementItem) span { return orNone(p.taxID(i)) }},
		{"CC", 2, style.Left, true, func(i *model.RetirementItem) span { return orNone(i.RetireeCountry) }},
		{"INVOICE", 18, style.Left, false, func(i *model.RetirementItem) span { return identity(i.InvoiceID) }},
		{"TRADE", 18, style.Left, false, func(i *model.RetirementItem) span { return identity(i.TradeID) }},
	}
	// A number or a day that is cut reads as another one.
	for i := range items {
		columns[created].width = max(columns[created].width, style.Width(p.view.Day(items[i].CreatedAt)))
		columns[amount].width = max(columns[amount].width, style.Width(p.view.Quantity(items[i].Quantity)))
	}
	return columns
}

const (
	// created is the place of the column of days, amount that of quantities.
	created, amount = 0, 1
	// retiree heads the column that takes the room that is left, up to
	// widestName, and gives what others lack, down to narrowestName.
	retiree       = "RETIREE"
	widestName    = 40
	narrowestName = 7
)

func (p *Pane) taxID(i *model.RetirementItem) string {
	if p.taxIDs {
		return i.RetireeTaxID
	}
	return model.MaskTaxID(i.RetireeTaxID)
}

// HiddenTaxIDs are the tax ids of the request while they are masked; none while
// they are shown in full.
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

func orNone(s string) span {
	if s == "" {
		return span{role: style.Warning, text: "none"}
	}
	return span{role: style.Text, text: s}
}

func identity(id string) span {
	s := orNone(id)
	s.id = true
	return s
}

// itemGap is the cells between two columns.
const itemGap = 2

// fitting returns the columns that there is room for: the needed ones, and of
// the others those that come first.
func fitting(columns []itemColumn, room int) []itemColumn {
	for _, c := range columns {
		if c.needed {
			room -= c.width + itemGap
		}
	}
	var fit []itemColumn
	for _, c := range columns {
		if !c.needed {
			if room < c.width+itemGap {
				continue
			}
			room -= c.width + itemGap
		}
		fit = append(fit, c)
	}
	for i := range fit {
		if fit[i].title == retiree {
			fit[i].width = min(max(fit[i].width+room, narrowestName), widestName)
		}
	}
	return fit
}

func (d *document) addItems(p *Pane, r *model.Retirement) {
	if len(r.Items) == 0 {
		d.heading("ITEMS", "")
		d.text(style.Muted, "The service lists no items for this request.")
		return
	}
	d.heading("ITEMS", model.Count(len(r.Items), "call", "calls"))
	columns := fitting(p.itemColumns(r.Items), d.width+itemGap)
	d.add(func(l *style.Line) {
		for _, c := range columns {
			c.put(l, span{role: style.Heading, text: c.title})
		}
	})
	for i := range r.Items {
		item := &r.Items[i]
		d.thing(item.ID, "the item's id", func(l *style.Line) {
			for _, c := range columns {
				c.put(l, c.cell(item))
			}
		})
		name := "item " + item.ID
		d.fold(name)
		if p.unfolded[name] {
			d.addItem(p, item)
		}
	}
}

func (c itemColumn) put(l *style.Line, s span) {
	if s.id {
		s.text = style.ClipMiddle(s.text, c.width)
	}
	if c.align == style.Right {
		l.PutRight(s.role, s.text, c.width)
	} else {
		l.PutLeft(s.role, s.text, c.width)
	}
	l.Gap(itemGap)
}

func (d *document) addItem(p *Pane, item *model.RetirementItem) {
	part := func(name, shown, copied string) { d.value(2, name, orNone(shown), copied) }
	id := func(name, id string) { d.value(2, name, identity(id), id) }
	id("item", item.ID)
	part("created", p.view.Moment(item.CreatedAt), item.CreatedAt.Text)
	part("quantity", p.view.Quantity(item.Quantity), item.Quantity.String())
	part("retiree", item.RetireeName, item.RetireeName)
	part("tax id", p.taxID(item), p.taxID(item))
	part("country", item.RetireeCountry, item.RetireeCountry)
	id("invoice", item.InvoiceID)
	id("trade", item.TradeID)
	for _, f := range item.Extra {
		part(f.Name, f.Value, f.Value)
	}
}
