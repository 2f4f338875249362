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

// limitsThenRuns sets the limits of a program and becomes it: all systems have a
// shell. Not all know the limit of memory.
const limitsThenRuns = `ulimit -c 0; ulimit -f 0; ulimit -t "$1" || exit 99
ulimit -d "$2" 2>/dev/null
shift 2; exec "$@"`

// confined returns a command that is killed with its group when the context ends.
func confined(ctx context.Context, cpuSeconds int, program string, args ...string) *exec.Cmd {
	shell := []string{"-c", limitsThenRuns, "sh", strconv.Itoa(cpuSeconds), strconv.Itoa(mostData), program}
	cmd := exec.CommandContext(ctx, "/bin/sh", append(shell, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
	return cmd
}

func killRest(cmd *exec.Cmd) {
	if cmd.Process != nil {
		// Mostly there is nobody left to kill.
		_ = killGroup(cmd)
	}
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
