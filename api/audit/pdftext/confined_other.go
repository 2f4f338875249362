//go:build !unix

package pdftext

import (
	"context"
	"os/exec"
	"time"
)

// usualPatience is the limit of processor time too: there is no other here.
const usualPatience = 2 * time.Second

func confined(ctx context.Context, _ int, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...)
}

func killRest(*exec.Cmd) {}
