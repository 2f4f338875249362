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
	// mostData limits the memory of a program, in KiB.
	mostData = 64 << 10
	// usualPatience is longer than the processor time, for busy machines.
	usualPatience = 5 * time.Second
)

// limitsThenRuns is a shell script that sets limits and then replaces itself with the
// program. Not all systems support the limit of memory.
const limitsThenRuns = `ulimit -c 0; ulimit -f 0; ulimit -t "$1" || exit 99
ulimit -d "$2" 2>/dev/null
shift 2; exec "$@"`

// confined returns a command whose whole process group is killed when ctx ends.
func confined(ctx context.Context, cpuSeconds int, program string, args ...string) *exec.Cmd {
	shell := []string{"-c", limitsThenRuns, "sh", strconv.Itoa(cpuSeconds), strconv.Itoa(mostData), program}
	cmd := exec.CommandContext(ctx, "/bin/sh", append(shell, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
	return cmd
}

func killRest(cmd *exec.Cmd) {
	if cmd.Process != nil {
		// Usually no process of the group is left.
		_ = killGroup(cmd)
	}
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
