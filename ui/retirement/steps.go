package retirement

import (
	"strings"

	"tonne/model"
	"tonne/ui/paint"
)

// stateName is a state as it is drawn.
func stateName(s model.RetirementStatus) string {
	return strings.ReplaceAll(string(s), "_", " ")
}

// addSteps draws the life cycle: a bar, the names below it, the days on which
// a state was reached, and what the present one means.
func (t *Tab) addSteps(d *document, r *model.Retirement) {
	if !r.Status.Known() {
		d.text(paint.Dearer, "? This state is not documented. It is shown as the service sent it.")
		return
	}
	steps := r.Steps()
	widths := make([]int, len(steps))
	for i, s := range steps {
		widths[i] = max(paint.Width(stateName(s.Status)), paint.Width(t.stepDay(s))) + 3
	}
	d.add(func(l *paint.Line) { drawBar(l, steps, widths) })
	d.add(func(l *paint.Line) {
		for i, s := range steps {
			role := paint.Faint
			switch {
			case s.Current:
				role = paint.Strong
			case s.Reached:
				role = paint.Muted
			}
			l.PutLeft(role, stateName(s.Status), widths[i])
		}
	})
	d.add(func(l *paint.Line) {
		for i, s := range steps {
			l.PutLeft(paint.Faint, t.stepDay(s), widths[i])
		}
	})
	d.text(paint.Muted, r.Status.Meaning())
}

// drawBar draws the way from state to state, as far as it was gone.
func drawBar(l *paint.Line, steps []model.Step, widths []int) {
	for i, s := range steps {
		l.Put(reached(s, "●", "○"))
		if i+1 < len(steps) {
			role, _ := reached(steps[i+1], "", "")
			l.Repeat(role, "━", widths[i]-1)
		}
	}
}

func reached(s model.Step, yes, no string) (paint.Role, string) {
	if s.Reached {
		return paint.Product, yes
	}
	return paint.Faint, no
}

// stepDay is the day on which a state was reached.
func (t *Tab) stepDay(s model.Step) string {
	if !s.At.Known() {
		return ""
	}
	return t.view.Day(s.At)
}

// mark is the sign of a state in the ledger.
func mark(s model.RetirementStatus) (paint.Role, string) {
	switch s {
	case model.Complete:
		return paint.Product, "✓"
	case model.Open:
		return paint.Cheaper, "◔"
	case model.Closed:
		return paint.Paid, "◑"
	case model.InProgress:
		return paint.Cheaper, "◕"
	case model.NothingToProcess:
		return paint.Faint, "○"
	}
	return paint.Dearer, "?"
}
