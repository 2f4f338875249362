package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/model/advice"
	"tonne/ui/effect"
	"tonne/ui/retire"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type calls struct {
	view       *tab.View
	controller *retire.Controller
	// read counts calls with an unknown outcome if there is no controller. unknown is the last count.
	read    func(ctx context.Context) (int, error)
	unknown int
	// recounts is when the journal is read next, or zero before the first time.
	recounts time.Time
	leaving  time.Time
}

// The badges of a dashboard that cannot retire. Of a guest with read-only, nothing is kept either.
const (
	noRetiring    = "NO RETIRING"
	readOnlyGuest = "GUEST · read-only"
)

func (r *calls) mode() style.Span {
	switch {
	case r.controller != nil && r.controller.Barred():
		return style.Span{Role: style.Warning, Text: r.controller.Mode()}
	case r.controller != nil:
		return style.Span{Role: style.Alarm, Text: r.controller.Mode()}
	case r.view.Fleeting:
		return style.Span{Role: style.Muted, Text: readOnlyGuest}
	case r.unknown > 0:
		return style.Span{Role: style.Warning, Text: noRetiring + " · " + tab.Number(int64(r.unknown)) + " unresolved"}
	}
	return style.Span{Role: style.Muted, Text: noRetiring}
}

// recountAfter is short because other programs use the same journal.
const recountAfter = 5 * time.Second

// recount counts the unresolved calls when it is due. The first count is announced.
func (r *calls) recount(now time.Time) effect.Effect {
	first := r.recounts.IsZero()
	if r.controller == nil && r.read == nil || now.Before(r.recounts) {
		return nil
	}
	r.recounts = now.Add(recountAfter)
	switch {
	case r.controller != nil && first:
		return r.controller.Start()
	case r.controller != nil:
		return r.controller.Recount()
	}
	return effect.Work(func(ctx context.Context) any {
		n, err := r.read(ctx)
		if err != nil {
			return nil
		}
		return effect.Then(func() effect.Effect {
			r.unknown = n
			if first && n > 0 {
				return effect.Warn(r.pending())
			}
			return nil
		})
	})
}

func (r *calls) pending() string {
	return model.Count(r.unknown, "retirement", "retirements") + " with unknown outcome. " +
		r.view.Commands(advice.Format("%s lists them.", advice.Tonne("retire pending")))
}

func (r *calls) whyNotUnfinished() string {
	if r.unknown > 0 {
		return r.pending()
	}
	return r.view.WhyNotRetire()
}

const leaveTwice = 5 * time.Second

// leave ends the program. While a retirement is in flight, the first attempt only warns: the
// call continues at the service and stays in the journal.
func (a *App) leave(why error) tea.Cmd {
	r, now := &a.retiring, a.o.Now()
	if r.controller != nil && r.controller.Out() && !now.Before(r.leaving) {
		r.leaving = now.Add(leaveTwice)
		a.warn("A retirement is in flight. Press again to quit; it stays in the journal, and the next start shows it.")
		return nil
	}
	a.quit = why
	return tea.Quit
}
