package retirement

import (
	"strings"

	"tonne/model"
	"tonne/ui/style"
)

// stateName is a state as it is drawn.
func stateName(s model.RetirementStatus) string {
	return strings.ReplaceAll(string(s), "_", " ")
}

// addSteps draws the life cycle: a bar, the names below it, the days on which
// a state was reached, and what the present one means.
func (t *Tab) addSteps(d *document, r *model.Retirement) {
	if !r.Status.Known() {
		d.text(style.Warning, "? This state is not documented. It is shown as the service sent it.")
		return
	}
	steps := r.Steps()
	widths := make([]int, len(steps))
	for i, s := range steps {
		widths[i] = max(style.Width(stateName(s.Status)), style.Width(t.stepDay(s))) + 3
	}
	d.add(func(l *style.Line) { drawBar(l, steps, widths) })
	d.add(func(l *style.Line) {
		for i, s := range steps {
			role := style.Faint
			switch {
			case s.Current:
				role = style.Strong
			case s.Reached:
				role = style.Muted
			}
			l.PutLeft(role, stateName(s.Status), widths[i])
		}
	})
	d.add(func(l *style.Line) {
		for i, s := range steps {
			l.PutLeft(style.Faint, t.stepDay(s), widths[i])
		}
	})
	d.text(style.Muted, r.Status.Meaning())
}

// drawBar draws the way from state to state, as far as it was gone.
func drawBar(l *style.Line, steps []model.Step, widths []int) {
	for i, s := range steps {
		l.Put(reached(s, "●", "○"))
		if i+1 < len(steps) {
			role, _ := reached(steps[i+1], "", "")
			l.Repeat(role, "━", widths[i]-1)
		}
	}
}

func reached(s model.Step, yes, no string) (style.Role, string) {
	if s.Reached {
		return style.Accent, yes
	}
	return style.Faint, no
}

// stepDay is the day on which a state was reached.
func (t *Tab) stepDay(s model.Step) string {
	if !s.At.Known() {
		return ""
	}
	return t.view.Day(s.At)
}

// mark is the sign of a state in the ledger.
func mark(s model.RetirementStatus) (style.Role, string) {
	switch s {
	case model.Complete:
		return style.Accent, "✓"
	case model.Open:
		return style.Cheaper, "◔"
	case model.Closed:
		return style.Paid, "◑"
	case model.InProgress:
		return style.Cheaper, "◕"
	case model.NothingToProcess:
		return style.Faint, "○"
	}
	return style.Warning, "?"
}
