package watch

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"runtime"
	"time"

	"tonne/ui/cli/command"
)

// The time limit of a command of --exec, and the time for which its child processes may
// keep its output open afterwards.
const (
	maxExec  = 30 * time.Second
	execEnds = time.Second
)

// Hook is the shell command of --exec.
type Hook struct {
	App     *command.App
	Command string
	// Longest is the time limit of the command.
	Longest time.Duration
}

// Run runs the command with an alert on its standard input. What it prints goes to standard
// error. The data of the alert never becomes part of the command. It returns an error only if
// ctx has ended.
func (h Hook) Run(ctx context.Context, alert io.Reader) error {
	limited, cancel := context.WithTimeout(ctx, h.Longest)
	defer cancel()
	cmd := shellCommand(limited, h.Command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = alert, h.App.Stderr, h.App.Stderr
	cmd.WaitDelay = execEnds
	endWhole(cmd)
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		h.App.Warn("--exec took longer than %s and was stopped", h.Longest)
	case errors.Is(err, exec.ErrWaitDelay):
		// It succeeded, but a child process still writes.
	case err != nil:
		h.App.Warn("--exec failed: %v", err)
	}
	return nil
}

func shellCommand(ctx context.Context, command string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/C", command)
	}
	return exec.CommandContext(ctx, "/bin/sh", "-c", command)
}
