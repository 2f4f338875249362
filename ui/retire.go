package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// readOnly is the mode of a dashboard that cannot retire.
const readOnly = "READ-ONLY"

func (a *App) drawMode(line *style.Line) {
	role, mode := style.Muted, readOnly
	if a.unknown > 0 {
		role, mode = style.Warning, mode+" · "+tab.Number(int64(a.unknown))+" not known"
	}
	if a.retire != nil {
		role, mode = style.Warning, a.retire.Mode()
		if !a.retire.Barred() {
			role = style.Alarm
		}
	}
	line.Put(role, " "+mode+" ")
}

func (a *App) startRetiring() effect.Effect {
	if a.retire == nil && a.o.Unfinished == nil {
		return nil
	}
	a.recounts = a.o.Now().Add(recountAfter)
	if a.retire != nil {
		return a.retire.Start()
	}
	return a.count(func() effect.Effect {
		if a.unknown == 0 {
			return nil
		}
		return effect.Warn(a.pending())
	})
}

// recountAfter is how long the count of the calls whose outcome is not known
// stands: other programs use the journal.
const recountAfter = 5 * time.Second

func (a *App) recount(now time.Time) tea.Cmd {
	if a.recounts.IsZero() || now.Before(a.recounts) {
		return nil
	}
	a.recounts = now.Add(recountAfter)
	if a.retire != nil {
		return a.run(a.active, a.retire.Recount())
	}
	return a.run(a.active, a.count(func() effect.Effect { return nil }))
}

// count counts the calls where nothing can be retired, and then asks for more.
// Who cannot retire is not kept from looking by the journal.
func (a *App) count(then func() effect.Effect) effect.Effect {
	return effect.Work(func(ctx context.Context) any {
		n, err := a.o.Unfinished(ctx)
		if err != nil {
			return nil
		}
		return effect.Then(func() effect.Effect {
			a.unknown = n
			return then()
		})
	})
}

func (a *App) pending() string {
	return model.Count(a.unknown, "call that retires", "calls that retire") + ": outcome not known. " + a.view.Commands("`tonne retire pending` lists them.")
}

// leaveTwice is how long the key that leaves is asked for once more.
const leaveTwice = 5 * time.Second

// leave ends the program. While a call that retires is on its way, the first
// time only warns: the call goes on at the service and stays in the journal.
func (a *App) leave(why error) tea.Cmd {
	now := a.o.Now()
	if a.retire != nil && a.retire.Out() && !now.Before(a.leaving) {
		a.leaving = now.Add(leaveTwice)
		a.warn("A call that retires is on its way. Again leaves; the journal keeps it, and the next start shows it.")
		return nil
	}
	a.quit = why
	return tea.Quit
}

func (a *App) whyNotUnfinished() string {
	if a.unknown > 0 {
		return a.pending()
	}
	return a.view.WhyNotRetire()
}

func (a *App) unfinished() effect.Effect { return a.retire.Unfinished() }
