package tab

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Errand is work that may wait, such as with the store. It begins where state
// may be read, when its turn has come, and returns what is to be done away
// from it, or nil where there is nothing to do any more. That returns what is
// to be done back where state may be changed.
type Errand func() (away func(ctx context.Context) (back func() tea.Cmd))

// Errands are run one after another, in the order in which they were given,
// so that the last wish of a person is the last that is carried out. The zero
// value is ready.
type Errands struct {
	waiting []Errand
	under   bool
}

// Run takes an errand. The command that it returns may be nil: another one is
// under way.
func (e *Errands) Run(ctx context.Context, errand Errand) tea.Cmd {
	e.waiting = append(e.waiting, errand)
	return e.next(ctx)
}

func (e *Errands) next(ctx context.Context) tea.Cmd {
	for !e.under && len(e.waiting) > 0 {
		begin := e.waiting[0]
		e.waiting = e.waiting[1:]
		away := begin()
		if away == nil {
			continue
		}
		e.under = true
		return func() tea.Msg {
			back := away(ctx)
			return Done(func() tea.Cmd {
				e.under = false
				return tea.Batch(back(), e.next(ctx))
			})
		}
	}
	return nil
}
