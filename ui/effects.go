package ui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/clipboard"
	"tonne/ui/effect"
	"tonne/ui/style"
)

// result is the result of a tab's work or of its dialog.
type result struct {
	tab   int
	value any
}

// current means the tab that is shown.
const current = -1

func (a *App) run(tab int, e effect.Effect) tea.Cmd {
	switch e := e.(type) {
	case effect.Several:
		cmds := make([]tea.Cmd, len(e))
		for i, one := range e {
			cmds[i] = a.run(tab, one)
		}
		return tea.Batch(cmds...)
	case effect.Work:
		ctx := a.view.Context
		return func() tea.Msg { return result{tab, e(ctx)} }
	case effect.Answer:
		return a.dispatch(result{tab, e.Value})
	case effect.Then:
		next := e()
		if tab == current {
			tab = a.active
		}
		return a.run(tab, next)
	case effect.Toast:
		// A failure is not replaced by other messages.
		if !a.toast.stands || e.Bad {
			a.toast = toast{text: e.Text, bad: e.Bad, stands: e.Bad && e.Holds == nil, until: a.o.Now().Add(toastTime),
				holds: e.Holds}
		}
	case effect.Undo:
		a.record(tab, e)
	case effect.Copy:
		return a.copy(e)
	case effect.Open:
		return a.browse(e.URL)
	case effect.Notify:
		return a.notify(tab, e)
	case effect.Quit:
		return a.leave(e.Why)
	case effect.Show:
		a.open(e.Panel, tab)
	}
	return nil
}

func (a *App) dispatch(r result) tea.Cmd {
	switch value := r.value.(type) {
	case nil:
		return nil
	case effect.Effect:
		return a.run(r.tab, value)
	default:
		return a.run(r.tab, a.tabs[r.tab].Handle(value))
	}
}

func (a *App) say(text string) { a.run(a.active, effect.Say(text)) }

func (a *App) warn(text string) { a.run(a.active, effect.Warn(text)) }

func (a *App) copy(c effect.Copy) tea.Cmd {
	if c.Whole != nil && a.repeated {
		c, a.last = c.Whole(), ""
	}
	if c.Text == "" {
		a.say("Nothing to copy here.")
		return nil
	}
	sequence, err := clipboard.Sequence(c.Text, a.o.Getenv)
	if err != nil {
		a.warn("Cannot copy: " + err.Error() + ".")
		return nil
	}
	a.say("Copied " + quoted(c) + ".")
	cmds := []tea.Cmd{tea.Raw(sequence)}
	if a.o.Remote == nil {
		// Some terminals ignore the sequence, and tmux blocks it by default.
		for _, put := range [...]func(context.Context, string, func(string) string) error{clipboard.Native, clipboard.Tmux} {
			cmds = append(cmds, func() tea.Msg {
				_ = put(a.view.Context, c.Text, a.o.Getenv)
				return nil
			})
		}
	}
	return tea.Batch(cmds...)
}

const longestQuote = 40

func quoted(c effect.Copy) string {
	text := strings.TrimSpace(c.Text)
	if strings.Contains(text, "\n") {
		return c.What
	}
	return c.What + ": " + style.ClipMiddle(strings.Join(strings.Fields(text), " "), longestQuote)
}

func (a *App) browse(url string) tea.Cmd {
	host, err := a.o.Safe(url)
	if err != nil {
		a.warn("Cannot open it: " + err.Error() + ".")
		return nil
	}
	if a.o.Remote != nil {
		return a.run(a.active, effect.Show{Panel: &address{url: url, host: host}})
	}
	a.say("Opening " + host + " …")
	return a.run(a.active, effect.Work(func(ctx context.Context) any {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if a.o.Browse(ctx, url) != nil {
			return effect.Warn("No browser opened " + url)
		}
		return nil
	}))
}
