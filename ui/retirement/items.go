package retirement

import (
	"tonne/model"
	"tonne/ui/paint"
	"tonne/ui/view"
)

// itemWidths are the columns of the items: created, quantity, retiree, tax
// id, country, invoice, trade. Those at the end fall away first.
var itemWidths = [...]int{17, 12, 20, 9, 4, 18, 18}

// addItems lists the calls that the request was made of.
func (t *Tab) addItems(d *document, r *model.Retirement) {
	if len(r.Items) == 0 {
		d.heading("ITEMS", "")
		d.text(paint.Muted, "The service lists no items for this request.")
		return
	}
	d.heading("ITEMS", view.Count(len(r.Items), "call", "calls"))
	d.add(func(l *paint.Line) {
		for i, title := range [...]string{"CREATED", "QUANTITY", "RETIREE", "TAX ID", "CC", "INVOICE", "TRADE"} {
			t.itemCell(l, i, span{paint.Heading, title})
		}
	})
	for i := range r.Items {
		item := &r.Items[i]
		d.thing(item.ID, "the item's id", func(l *paint.Line) {
			cells := [...]span{
				{paint.Text, t.view.Minute(item.CreatedAt)}, {paint.Text, t.view.Quantity(item.Quantity)},
				orNone(item.RetireeName), orNone(model.MaskTaxID(item.RetireeTaxID)), orNone(item.RetireeCountry),
				orNone(item.InvoiceID), orNone(item.TradeID),
			}
			for i, c := range cells {
				t.itemCell(l, i, c)
			}
		})
	}
}

// span is a piece of text with its meaning.
type span struct {
	role paint.Role
	text string
}

func orNone(s string) span {
	if s == "" {
		return span{paint.Dearer, "none"}
	}
	return span{paint.Text, s}
}

// itemCell puts one cell of the items, and a gap behind it; nothing where the
// column does not fit.
func (t *Tab) itemCell(l *paint.Line, column int, c span) {
	width := itemWidths[column]
	if l.Room() < width {
		l.Gap(l.Room())
		return
	}
	if column == 1 {
		l.PutRight(c.role, c.text, width)
	} else {
		l.PutLeft(c.role, c.text, width)
	}
	l.Gap(1)
}
