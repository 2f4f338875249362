package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
)

// ErrKeys is returned if the key bindings in Options.Remap are invalid.
var ErrKeys = errors.New("invalid key bindings")

// Run shows the dashboard until the user quits, ctx ends or the feed fails, and restores the
// terminal. It returns ErrInterrupted after Ctrl-C, and the cause of ctx after ctx ended. The
// caller must handle signals.
func Run(ctx context.Context, o Options) error {
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	app := New(inside, o)
	if problems := app.CheckKeys(); len(problems) > 0 {
		return fmt.Errorf("%w: %w", ErrKeys, errors.Join(problems...))
	}
	options := []tea.ProgramOption{tea.WithContext(inside), tea.WithoutSignalHandler()}
	if o.Output != nil {
		options = append(options, tea.WithOutput(o.Output))
	}
	err := run(inside, app, o, options)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	}
	return app.quit
}

// spare adds a processor to those of Go's scheduler. A key press finds it free while a poll keeps the others busy, and
// the operating system lets it run at once.
var spare = sync.OnceFunc(func() { runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1) })

func run(ctx context.Context, app *App, o Options, options []tea.ProgramOption) error {
	if o.Remote != nil {
		return o.Remote.run(ctx, app, o.Input, options)
	}
	spare()
	var p *tea.Program
	send := func(msg tea.Msg) { p.Send(msg) }
	resized, input := sized(o.Output, send), o.Input
	var local *localInput
	if input == nil && term.IsTerminal(int(os.Stdin.Fd())) {
		local = newLocalInput(os.Stdin, send)
	}
	if local != nil {
		input = local
	}
	filter := func(m tea.Model, msg tea.Msg) tea.Msg {
		if local != nil && local.isRepeated(msg) {
			return nil
		}
		return resized(m, msg)
	}
	options = append(options, tea.WithFPS(120), tea.WithFilter(filter))
	if input != nil {
		options = append(options, tea.WithInput(input))
	}
	p = tea.NewProgram(app, options...)
	_, err := p.Run()
	return err
}
