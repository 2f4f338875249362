package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"
)

// Run shows the dashboard until the person quits, ctx ends or the feed fails.
// It returns ErrInterrupted after Ctrl-C and the cause of ctx when that ended.
// The terminal is restored in every case. Signals are the caller's: it ends
// ctx with a cause of its own.
func Run(ctx context.Context, o Options) error {
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	desk := New(inside, o)
	if problems := desk.CheckKeys(); len(problems) > 0 {
		return errors.Join(problems...)
	}
	options := []tea.ProgramOption{tea.WithContext(inside), tea.WithFPS(120), tea.WithoutSignalHandler()}
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		options = append(options, tea.WithOutput(o.Output))
	}
	_, err := tea.NewProgram(desk, options...).Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	}
	return desk.quit
}
