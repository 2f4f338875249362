package retirement

import (
	"tonne/model"
	"tonne/ui/paint"
)

// addChecks lists what can be held against each other.
func (t *Tab) addChecks(d *document, r *model.Retirement) {
	project, known := t.view.Projects[r.ProjectID]
	d.heading("CHECKS", "")
	for _, check := range r.Checks(project, known) {
		d.thing(check.Title()+": "+string(check.Result)+", "+check.Detail, "the check", func(l *paint.Line) {
			role, mark := verdict(check.Result)
			l.Put(role, mark+" ")
			l.Put(paint.Text, check.Title())
			l.Gap(2)
			l.Put(paint.Muted, check.Detail)
		})
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
