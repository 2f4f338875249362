// Package welcome is the first screen of somebody who has configured nothing:
// it offers the demo, or connects to a marketplace.
package welcome

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"tonne/ui/style"
)

var (
	// ErrLeft says that the person chose nothing and left.
	ErrLeft = errors.New("nothing was chosen")
	// ErrInterrupted says that Ctrl-C was pressed.
	ErrInterrupted = errors.New("interrupted")
)

// Choice is what the person wants: the demo, or a marketplace whose key works.
type Choice struct {
	Demo         bool
	Address, Key string
}

// Problem is why a marketplace cannot be used. It is shown, and both fields can
// be typed again.
type Problem struct {
	// Text says what happened and what to do, in a sentence or two.
	Text string
	// KeyRefused empties the key and asks for it again.
	KeyRefused bool
}

// Options say what the screen begins with and how it connects.
type Options struct {
	// Address is what is known of the marketplace already; if it is not empty,
	// the screen begins with the form.
	Address string
	// CheckAddress says what is wrong with an address, or "".
	CheckAddress func(address string) string
	// Connect tries a key; nil means that it works.
	Connect func(ctx context.Context, address, key string) *Problem

	Background style.Background
	// ASCII says that the terminal shows nothing else.
	ASCII bool
}

// Run shows the screen until the person has chosen. The error is ErrLeft,
// ErrInterrupted, the cause of ctx, or one of the terminal.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) (Choice, error) {
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newScreen(inside, o)
	_, err := tea.NewProgram(s, tea.WithContext(inside), tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler()).Run()
	switch {
	case ctx.Err() != nil:
		return Choice{}, context.Cause(ctx)
	case err != nil:
		return Choice{}, err
	}
	return s.choice, s.end
}
