//go:build unix

package terminal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// watchHangUp calls closed once when the terminal is closed. The library that reads
// keys does not report this: it sees only the end of its input. watchHangUp reads
// no input, so that it neither consumes keys nor wakes readers. It ends when stop
// is called.
func watchHangUp(terminal *os.File, closed func()) (stop func()) {
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	watched := []unix.PollFd{{Fd: int32(terminal.Fd())}, {Fd: int32(r.Fd())}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			_, err := unix.Poll(watched, -1)
			switch {
			case errors.Is(err, unix.EINTR):
				continue
			case err == nil && watched[1].Revents == 0 && hangsUp(watched[0]):
				closed()
			}
			return
		}
	}()
	return func() {
		_ = w.Close()
		<-ended
		_ = r.Close()
	}
}

func isGone(terminal *os.File) bool {
	looked := []unix.PollFd{{Fd: int32(terminal.Fd())}}
	for {
		_, err := unix.Poll(looked, 0)
		if !errors.Is(err, unix.EINTR) {
			return err == nil && hangsUp(looked[0])
		}
	}
}

func hangsUp(terminal unix.PollFd) bool { return terminal.Revents&(unix.POLLHUP|unix.POLLERR) != 0 }
