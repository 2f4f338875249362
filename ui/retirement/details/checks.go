package details

import (
	"slices"

	"tonne/model"
	"tonne/ui/retirement/ledger"
	"tonne/ui/style"
)

func (d *document) addChecks(checks []model.Check) {
	d.heading("CHECKS", "")
	for _, check := range checks {
		title := ledger.CheckTitle(check.Name)
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

// checksOf returns the checks of an answer and what else was found. Of a request
// that is not complete only what fails was worth a look.
func checksOf(checks []model.Check, s *Subject) []model.Check {
	all := slices.Clone(checks)
	for _, found := range s.Findings {
		if found.Result == model.Fail || s.Answer.Status == model.Complete {
			all = append(all, found)
		}
	}
	return all
}

func verdict(r model.Result) (style.Role, string) {
	switch r {
	case model.Pass:
		return style.Accent, "✓"
	case model.Fail:
		return style.Warning, "✗"
	}
	return style.Faint, "·"
}
