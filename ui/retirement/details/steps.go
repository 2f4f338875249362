package details

import (
	"tonne/model"
	"tonne/ui/style"
)

func (d *document) addSteps(p *Pane, r *model.Retirement) {
	if !r.Status.Known() {
		d.text(style.Warning, "? This state is not documented. It is shown as the service sent it.")
		return
	}
	steps := r.Steps()
	widths := make([]int, len(steps))
	for i, s := range steps {
		widths[i] = max(style.Width(s.Status.Words()), style.Width(p.stepDay(s))) + 3
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
			l.PutLeft(role, s.Status.Words(), widths[i])
		}
	})
	d.add(func(l *style.Line) {
		for i, s := range steps {
			l.PutLeft(style.Faint, p.stepDay(s), widths[i])
		}
	})
	d.text(style.Muted, r.Status.Meaning())
}

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

func (p *Pane) stepDay(s model.Step) string {
	if !s.At.Known() {
		return ""
	}
	return p.view.Day(s.At)
}
