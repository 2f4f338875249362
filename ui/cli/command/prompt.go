package command

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

// ReadHidden reads a line from a terminal that shows none of it. The terminal
// stops showing what is typed before the prompt appears, so that nothing typed
// early is seen.
func ReadHidden(in *os.File, out io.Writer, prompt string) (string, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }()
	line, err := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, "").ReadPassword(prompt)
	if errors.Is(err, io.EOF) {
		return "", &Failure{Status: StatusInterrupted, Silent: true}
	}
	return line, err
}

// Answer waits for a person, or until the command is ended. Reading from a
// terminal cannot be cancelled, so it is left behind.
func (a *Configuration) Answer(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		a.Terminal.Restore()
		return "", context.Cause(ctx)
	}
}
