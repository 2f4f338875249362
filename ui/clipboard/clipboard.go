// Package clipboard puts text on the clipboard of the person at the terminal, also
// if that is another machine.
package clipboard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/atotto/clipboard"
	"github.com/aymanbagabas/go-osc52/v2"
)

// MaxBytes is the largest text that is copied: terminals drop longer
// sequences without a word.
const MaxBytes = 74_000

// ErrTooLarge is the error for a text beyond MaxBytes.
var ErrTooLarge = fmt.Errorf("more than %d bytes do not fit on a terminal's clipboard", MaxBytes)

// Sequence returns the escape sequence that asks the terminal to take the
// text: OSC 52, wrapped for tmux and screen if the environment names one.
func Sequence(text string, getenv func(string) string) (string, error) {
	if len(text) > MaxBytes {
		return "", ErrTooLarge
	}
	seq := osc52.New(text)
	switch {
	case getenv("TMUX") != "":
		seq = seq.Tmux()
	case strings.HasPrefix(getenv("TERM"), "screen"):
		seq = seq.Screen()
	}
	return seq.String(), nil
}

// ErrNoTmux is returned outside tmux.
var ErrNoTmux = errors.New("this is no tmux")

// Tmux puts the text into the paste buffer of the tmux that the program runs in,
// and asks tmux to hand it to its terminal. The sequence does neither there
// unless tmux was set up for it.
func Tmux(ctx context.Context, text string, getenv func(string) string) error {
	server := getenv("TMUX")
	if server == "" {
		return ErrNoTmux
	}
	ctx, cancel := context.WithTimeout(ctx, nativeLimit)
	defer cancel()
	load := func(args ...string) error {
		cmd := exec.CommandContext(ctx, "tmux", args...)
		cmd.Env, cmd.Stdin = append(os.Environ(), "TMUX="+server), strings.NewReader(text)
		return cmd.Run()
	}
	if load("load-buffer", "-w", "-") == nil {
		return nil
	}
	// Before 3.2, tmux knew no -w.
	return load("load-buffer", "-")
}

const nativeLimit = 2 * time.Second

// ErrNoNative is returned if the machine has no clipboard of its own, or
// the person sits at another one.
var ErrNoNative = errors.New("no clipboard on this machine")

// Native puts the text on the clipboard of this machine, beside the
// terminal's: not every terminal obeys OSC 52.
func Native(ctx context.Context, text string, getenv func(string) string) error {
	if clipboard.Unsupported || getenv("SSH_TTY") != "" || getenv("SSH_CONNECTION") != "" {
		return ErrNoNative
	}
	done := make(chan error, 1)
	go func() { done <- clipboard.WriteAll(text) }()
	ctx, cancel := context.WithTimeout(ctx, nativeLimit)
	defer cancel()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
