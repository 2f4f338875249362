//go:build !unix

package pdftext

import (
	"context"
	"os/exec"
	"time"
)

// usualPatience also limits the processor time, because there is no other limit here.
const usualPatience = 2 * time.Second

func confined(ctx context.Context, _ int, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...)
}

func killRest(*exec.Cmd) {}
