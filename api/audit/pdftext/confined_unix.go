//go:build unix

package pdftext

import (
	"context"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

const (
	// mostData is the memory that a program may take, in KiB.
	mostData = 64 << 10
	// usualPatience leaves a program its processor time on a busy machine.
	usualPatience = 5 * time.Second
)

// limitsThenRuns sets the limits of a program and becomes it: a shell is the
// way to do so before it runs that all systems have. Without the limit of
// processor time it does not run; that of memory is not known everywhere. It
// writes no files, also no core when it reaches a limit.
const limitsThenRuns = `ulimit -c 0; ulimit -f 0; ulimit -t "$1" || exit 99
ulimit -d "$2" 2>/dev/null
shift 2; exec "$@"`

// confined returns a command that runs in a group of its own, with limits, and
// is killed with that group when the context ends.
func confined(ctx context.Context, cpuSeconds int, program string, args ...string) *exec.Cmd {
	shell := []string{"-c", limitsThenRuns, "sh", strconv.Itoa(cpuSeconds), strconv.Itoa(mostData), program}
	cmd := exec.CommandContext(ctx, "/bin/sh", append(shell, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
	return cmd
}

// killRest ends what a command has started and left behind.
func killRest(cmd *exec.Cmd) {
	if cmd.Process != nil {
		// Mostly there is nobody left to kill.
		_ = killGroup(cmd)
	}
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
