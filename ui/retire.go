package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/retire"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type calls struct {
	view *tab.View
	room *retire.Controller
	// read counts calls with an unknown outcome without a room, unless it is nil; unknown is the last count.
	read    func(ctx context.Context) (int, error)
	unknown int
	// recounts is when the journal is read again; zero before it is read.
	recounts time.Time
	leaving  time.Time
}

const readOnly = "READ-ONLY"

func (r *calls) mode() style.Span {
	switch {
	case r.room != nil && r.room.Barred():
		return style.Span{Role: style.Warning, Text: r.room.Mode()}
	case r.room != nil:
		return style.Span{Role: style.Alarm, Text: r.room.Mode()}
	case r.unknown > 0:
		return style.Span{Role: style.Warning, Text: readOnly + " · " + tab.Number(int64(r.unknown)) + " unresolved"}
	}
	return style.Span{Role: style.Muted, Text: readOnly}
}

// recountAfter is how long a count of unknown outcomes is used: other programs use the journal.
const recountAfter = 5 * time.Second

// recount reads the journal when it is due. The first time it shows what it finds.
func (r *calls) recount(now time.Time) effect.Effect {
	first := r.recounts.IsZero()
	if r.room == nil && r.read == nil || now.Before(r.recounts) {
		return nil
	}
	r.recounts = now.Add(recountAfter)
	switch {
	case r.room != nil && first:
		return r.room.Start()
	case r.room != nil:
		return r.room.Recount()
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
	return model.Count(r.unknown, "call that retires", "calls that retire") + ": outcome not known. " + r.view.Commands("`tonne retire pending` lists them.")
}

func (r *calls) whyNotUnfinished() string {
	if r.unknown > 0 {
		return r.pending()
	}
	return r.view.WhyNotRetire()
}

const leaveTwice = 5 * time.Second

// leave ends the program. While a call that retires is on its way, the first
// time only warns: the call goes on at the service and stays in the journal.
func (a *App) leave(why error) tea.Cmd {
	r, now := &a.retiring, a.o.Now()
	if r.room != nil && r.room.Out() && !now.Before(r.leaving) {
		r.leaving = now.Add(leaveTwice)
		a.warn("A call that retires is on its way. Again leaves; the journal keeps it, and the next start shows it.")
		return nil
	}
	a.quit = why
	return tea.Quit
}
