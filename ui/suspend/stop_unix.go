//go:build unix

package suspend

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// The signal stops the program at once. The program waits in short steps, so that after it continues, one step
// has ended and the signal SIGCONT arrives during the next.
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
