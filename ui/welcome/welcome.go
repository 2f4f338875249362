// Package welcome is the first screen for a user without a configuration. It offers the
// demo or connects to a marketplace. It does not save the choice. Start reading at Run.
package welcome

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

var (
	// ErrLeft is returned if the user left without a choice.
	ErrLeft = errors.New("nothing was chosen")
	// ErrInterrupted is returned after Ctrl-C.
	ErrInterrupted = errors.New("interrupted")
)

// Choice is the user's choice: the demo, or a marketplace with a working key.
type Choice struct {
	Demo         bool
	Address, Key string
}

// Problem is the reason why a marketplace cannot be used. The form shows it and stays open.
type Problem struct {
	// Text describes the problem and the remedy in one or two sentences.
	Text string
	// KeyRefused clears the key field.
	KeyRefused bool
}

// Options configures the screen.
type Options struct {
	// Address is the known address of the marketplace. If it is not empty, the screen starts
	// with the form.
	Address string
	// CheckAddress returns the problem with an address, or "".
	CheckAddress func(address string) string
	// Connect tries a key. It returns nil if the key works.
	Connect func(ctx context.Context, address, key string) *Problem

	Background style.Background
	// ASCII reports that the terminal supports only ASCII.
	ASCII bool
}

// Run shows the screen until the user has chosen. The error is ErrLeft, ErrInterrupted,
// the cause of ctx, or an error of the terminal.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) (Choice, error) {
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newScreen(inside, o)
	_, err := tea.NewProgram(s, tea.WithContext(inside), tea.WithInput(in), tea.WithOutput(out),
		tea.WithoutSignalHandler()).Run()
	switch {
	case ctx.Err() != nil:
		return Choice{}, context.Cause(ctx)
	case err != nil:
		return Choice{}, err
	}
	return s.choice, s.end
}
