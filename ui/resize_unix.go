//go:build unix

package ui

import (
	"os"
	"os/signal"
	"syscall"
)

func notifyResize(changes chan<- os.Signal) { signal.Notify(changes, syscall.SIGWINCH) }
