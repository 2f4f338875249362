//go:build unix

package suspend

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// A signal that stops the program does so at once. Of many short waits a program that was stopped finds
// one over when it goes on, and the signal to go on during the next.
const (
	step  = 10 * time.Millisecond
	steps = 30
)

func stop() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	for range steps {
		select {
		case <-continued:
			return nil
		case <-time.After(step):
		}
	}
	return errNoShell
}
