//go:build !unix

package pdftext

import (
	"context"
	"os/exec"
	"time"
)

// usualPatience is the limit of processor time too: there is no other here.
const usualPatience = 2 * time.Second

// confined returns a command that is killed when the context ends. Processor
// time and memory have no limits here.
func confined(ctx context.Context, _ int, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...)
}

// killRest does nothing: there are no groups of programs here.
func killRest(*exec.Cmd) {}
