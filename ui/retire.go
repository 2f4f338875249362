package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

// lookingOnly is the mode of a dashboard that cannot retire.
const lookingOnly = "looking"

// drawMode says in the rule of the header what the dashboard can do. Whatever
// else stands there gives way to it.
func (a *App) drawMode(rule *style.Line) {
	role, mode := style.Faint, lookingOnly
	if a.unknown > 0 {
		role, mode = style.Warning, mode+" · "+tab.Number(int64(a.unknown))+" not known"
	}
	if a.retire != nil {
		role, mode = style.Alarm, a.retire.Mode()
	}
	rule.Put(style.Border, "─")
	if role != style.Alarm {
		rule.Gap(1)
		rule.Put(role, mode)
		rule.Gap(1)
		return
	}
	rule.Put(role, " "+mode+" ")
}

// startRetiring shows what is unfinished of earlier runs, also where nothing can
// be retired.
func (a *App) startRetiring() effect.Effect {
	switch count := a.o.Unfinished; {
	case a.retire != nil:
		return a.retire.Start()
	case count != nil:
		return effect.Work(func(ctx context.Context) any {
			n, err := count(ctx)
			if n == 0 || err != nil {
				// Who cannot retire is not kept from looking by the journal.
				return nil
			}
			return effect.Then(func() effect.Effect {
				a.unknown = n
				return effect.Warn(tab.Count(n, "call", "calls") + " that retire: outcome not known. `tonne retire pending` lists them.")
			})
		})
	}
	return nil
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

func (a *App) unfinished() effect.Effect { return a.retire.Unfinished() }
