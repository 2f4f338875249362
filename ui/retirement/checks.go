package retirement

import (
	"tonne/model"
	"tonne/ui/style"
)

// addChecks lists what can be held against each other.
func (t *Tab) addChecks(d *document, checks []model.Check) {
	d.heading("CHECKS", "")
	for _, check := range checks {
		title := check.Title()
		role, mark := verdict(check.Result)
		beside := style.Width(mark+" "+title+"  "+check.Detail) <= d.width
		d.thing(title+": "+string(check.Result)+", "+check.Detail, "the check", func(l *style.Line) {
			l.Put(role, mark+" ")
			l.Put(style.Text, title)
			if beside {
				l.Gap(2)
				l.Put(style.Muted, check.Detail)
			}
		})
		if !beside {
			d.paragraph(style.Muted, 4, check.Detail)
		}
	}
}

func verdict(r model.Result) (style.Role, string) {
	switch r {
	case model.Pass:
		return style.Product, "✓"
	case model.Fail:
		return style.Dearer, "✗"
	}
	return style.Faint, "·"
}
