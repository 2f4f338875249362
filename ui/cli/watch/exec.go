package watch

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"runtime"
	"time"

	"tonne/model/store"
)

// The time limit of a command of --exec, and the time for which its child processes may
// keep its output open afterwards.
const (
	maxExec  = 30 * time.Second
	execEnds = time.Second
)

// execute runs the command of --exec with an alert on its standard input. What
// it prints goes to standard error. The data of the alert never becomes part of
// the command. It returns an error only if ctx has ended.
func (w *run) execute(ctx context.Context, f store.Alert) error {
	var alert bytes.Buffer
	if err := w.writeAlert(&alert, f); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, w.longest)
	defer cancel()
	cmd := shellCommand(limited, w.command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &alert, w.app.Stderr, w.app.Stderr
	cmd.WaitDelay = execEnds
	endWhole(cmd)
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		w.app.Warn("--exec took longer than %s and was stopped", w.longest)
	case errors.Is(err, exec.ErrWaitDelay):
		// It succeeded, but a child process still writes.
	case err != nil:
		w.app.Warn("--exec failed: %v", err)
	}
	return nil
}

func shellCommand(ctx context.Context, command string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/C", command)
	}
	return exec.CommandContext(ctx, "/bin/sh", "-c", command)
}
