// Package clipboard copies text to the clipboard of the user at the terminal, even on
// another machine. It builds the escape sequence (Sequence) and runs tmux or a native
// program; the caller writes the sequence to the terminal.
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

// MaxBytes is the maximum size of a text. Terminals silently drop longer sequences.
const MaxBytes = 74_000

// ErrTooLarge is returned for a text above MaxBytes.
var ErrTooLarge = fmt.Errorf("a terminal's clipboard takes at most %d bytes", MaxBytes)

// Sequence returns the escape sequence OSC 52 for the text, wrapped for tmux or screen if
// the environment names one.
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
var ErrNoTmux = errors.New("not in tmux")

// Tmux copies the text to the paste buffer of the surrounding tmux, and requests tmux to
// pass it to its terminal. In tmux the escape sequence does neither by default.
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
	// tmux before 3.2 does not have -w.
	return load("load-buffer", "-")
}

const nativeLimit = 2 * time.Second

// ErrNoNative is returned if this machine has no clipboard, or if the user is on another
// machine.
var ErrNoNative = errors.New("no clipboard on this machine")

// Native copies the text to the clipboard of this machine. Use it in addition to Sequence,
// since not every terminal supports OSC 52.
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
