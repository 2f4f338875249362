package retirement

import (
	"strings"

	"tonne/model"
	"tonne/ui/paint"
)

// addChecks lists what can be held against each other.
func (t *Tab) addChecks(d *document, r *model.Retirement, reading *reading) {
	d.heading("CHECKS", "")
	for _, check := range reading.checks {
		check.Detail = t.checkDetail(r, reading, check)
		title := check.Title()
		role, mark := verdict(check.Result)
		beside := paint.Width(mark+" "+title+"  "+check.Detail) <= d.width
		d.thing(title+": "+string(check.Result)+", "+check.Detail, "the check", func(l *paint.Line) {
			l.Put(role, mark+" ")
			l.Put(paint.Text, title)
			if beside {
				l.Gap(2)
				l.Put(paint.Muted, check.Detail)
			}
		})
		if !beside {
			d.paragraph(paint.Muted, 4, check.Detail)
		}
	}
}

func verdict(r model.Result) (paint.Role, string) {
	switch r {
	case model.Pass:
		return paint.Product, "✓"
	case model.Fail:
		return paint.Dearer, "✗"
	}
	return paint.Faint, "·"
}

// checkDetail writes the quantities of a check in the unit that is shown at
// present. Evidence and the command line have one unit for each check.
func (t *Tab) checkDetail(r *model.Retirement, reading *reading, check model.Check) string {
	detail := check.Detail
	switch check.Name {
	case model.ItemsSumToTotal:
		if items, err := r.ItemsTotal(); err == nil {
			detail = strings.Replace(detail, ", "+items.FormatGrams(), ", "+t.view.Quantity(items), 1)
			detail = strings.Replace(detail, " of "+r.TotalQuantity.FormatGrams(), " of "+t.view.Quantity(r.TotalQuantity), 1)
		}
	case model.SerialsSumToWholeTonnes:
		whole, _ := model.WholeTonnes(r.TotalQuantity.Tonnes())
		written := string(reading.tonnes.AppendTonnes(nil)) + " of " + whole.FormatTonnes()
		if rest, ok := strings.CutPrefix(detail, written); ok {
			detail = t.partOf(reading.tonnes, whole) + rest
		}
	}
	return detail
}
