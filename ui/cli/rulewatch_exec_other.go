//go:build !unix

package cli

import "os/exec"

// endWhole leaves it at the command itself.
func endWhole(*exec.Cmd) {}
