package retirement

import (
	"tonne/model"
	"tonne/ui/paint"
)

// addChecks lists what can be held against each other.
func (t *Tab) addChecks(d *document, checks []model.Check) {
	d.heading("CHECKS", "")
	for _, check := range checks {
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
