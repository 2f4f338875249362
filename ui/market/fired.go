package market

import (
	"cmp"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/file/store"
	"tonne/ui/style"
	"tonne/ui/tab"
	"tonne/ui/table"
)

type firedPane = tabular[int64, firedRow]

type firedRow struct {
	store.Alert
	isNew  bool
	called string
}

func newFiredPane(v *tab.View) *firedPane {
	p := &firedPane{
		past: true,
		none: [2]string{"No rule has fired yet.", "a adds a rule on the selected vintage."},
		table: table.New[int64](table.Spec[firedRow]{Units: v.Units, Columns: []table.Column[firedRow]{
			{Key: "new", Picture: true, Cell: func(c *style.Cell, r firedRow) {
				if r.isNew {
					c.Put(style.Warning, newMark)
				}
			}},
			{Key: "time", Title: "TIME", Cell: func(c *style.Cell, r firedRow) { c.Put(style.Muted, r.when(v)) }},
			{
				Key:   "project",
				Title: "PROJECT",
				Min:   20,
				Max:   44,
				Cell:  func(c *style.Cell, r firedRow) { c.Put(style.Name, r.subject(v)) },
			},
			{Key: "vintage", Title: "VINTAGE", Align: style.Right, Cell: func(c *style.Cell, r firedRow) {
				if r.Request == "" {
					c.Put(style.Text, v.VintageName(r.Vintage))
				}
			}},
			{Key: "rule", Title: "RULE", Min: 16, Cell: func(c *style.Cell, r firedRow) {
				c.Put(style.Text, r.WithPrice(r.Facts.LastPaid))
			}},
			{Key: "now", Title: "THEN", Align: style.Right, Style: style.Strong, Fixed: true, Value: firedRow.now},
			{
				Key:      "was",
				Title:    "BEFORE",
				Align:    style.Right,
				Priority: 1,
				Style:    style.Muted,
				Fixed:    true,
				Value:    firedRow.before,
			},
		}}),
	}
	hints := [][2]string{{"↵", "goes to the vintage"}, {"w", "opens the watch list"}}
	p.heading = heading{"history", "Fired rules", hints}
	p.vintage = func(r firedRow) model.VintageKey { return r.Vintage }
	p.id = func(r firedRow) (id, what string) { return r.Request, "the request's id" }
	return p
}

const newMark = "●"

func (r firedRow) subject(v *tab.View) string {
	if r.Request != "" {
		return cmp.Or(r.called, r.Request)
	}
	return v.Projects.Name(r.Vintage.ProjectID)
}

func (r firedRow) when(v *tab.View) string {
	if r.Request != "" {
		return v.Moment(model.At(r.At))
	}
	return v.SeenAt(r.Since, r.At)
}

func (r firedRow) now() field.Value {
	switch {
	case r.Request != "" && !r.Since.IsZero():
		return field.Words(r.Facts.Status.Words() + ", seen for " + tab.Age(r.At.Sub(r.Since)))
	case r.Request != "":
		return field.Words(r.Facts.Status.Words())
	}
	return watched(r.Rule, r.Facts)
}

func (r firedRow) before() field.Value {
	switch {
	case r.Already:
		return field.Words("already met")
	case r.Request != "":
		return field.Optional(r.Was.Status.Words())
	}
	return watched(r.Rule, r.Was)
}
