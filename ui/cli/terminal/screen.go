package terminal

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Screen is the terminal while a program draws on it. After Leave, no output of the
// program reaches the terminal, even if it is still drawing or resuming from a shell.
type Screen struct {
	File *os.File
	left atomic.Bool
	// writing is locked during a write. taking is locked while the program resumes
	// the terminal, and permanently after Leave.
	writing, taking sync.Mutex
	// taken unlocks taking when the program has set up the terminal for the first
	// time and begins to write.
	taken func()
}

func newScreen(file *os.File) *Screen {
	s := &Screen{File: file}
	s.taking.Lock()
	s.taken = sync.OnceFunc(s.taking.Unlock)
	return s
}

// Read, Close and Fd call the methods of File. Bubble Tea uses an output as a terminal only if it
// has them.
func (s *Screen) Read(b []byte) (int, error) { return s.File.Read(b) }

// Close closes the file.
func (s *Screen) Close() error { return s.File.Close() }

// Fd returns the descriptor of the file.
func (s *Screen) Fd() uintptr { return s.File.Fd() }

// Write writes to the terminal. After Leave it discards its input.
func (s *Screen) Write(b []byte) (int, error) {
	s.taken()
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.left.Load() {
		return len(b), nil
	}
	return s.File.Write(b)
}

// Hold delays Leave while a program resumes the screen. After Leave it does not
// return.
func (s *Screen) Hold() (release func()) {
	s.taken()
	s.taking.Lock()
	return s.taking.Unlock
}

// Leave ends the drawing, restores the modes and writes a last text. It waits only briefly
// for a write in progress.
func (s *Screen) Leave(restore func(), text string) {
	s.left.Store(true)
	inTime(s.taking.Lock)
	restore()
	inTime(func() {
		s.writing.Lock()
		defer s.writing.Unlock()
		_, _ = io.WriteString(s.File, text)
	})
}

// inTime calls a function that may never return, and waits for it only briefly.
func inTime(do func()) {
	done := make(chan struct{})
	go func() {
		do()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
	}
}
