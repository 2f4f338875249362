// Package screen shows frames on a terminal at the other end of a connection. It
// keeps the newest frame and nothing else, and does nothing while none is new.
package screen

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Screen writes frames to a terminal. Its methods may be called from any
// goroutine; only Run waits.
type Screen struct {
	out     io.Writer
	profile colorprofile.Profile
	every   time.Duration
	stirred chan struct{}

	mu   sync.Mutex
	next frame
	// anew says that nothing is known of what the terminal shows; sent is what
	// goes to it beside the frames.
	anew bool
	sent []byte
}

// New returns a screen of a terminal that has these colours. It writes frames at
// least so far apart.
func New(out io.Writer, profile colorprofile.Profile, every time.Duration) *Screen {
	return &Screen{out: out, profile: profile, every: every, stirred: make(chan struct{}, 1)}
}

// Show has a frame written, unless there is a newer one by then. Anew says that
// the terminal shows nothing of the frames before, as after another size. What
// counts of the frame are its lines, title, cursor and whether it wants a mouse.
func (s *Screen) Show(v tea.View, anew bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := newFrame(v)
	if !anew && f == s.next {
		return
	}
	s.next, s.anew = f, s.anew || anew
	s.stir()
}

const mostSent = 1 << 20

// Send has an escape sequence written that draws nothing. Those that wait are left
// out once they are more than 1 MiB together: of many copies the newest counts.
func (s *Screen) Send(sequence string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sent)+len(sequence) > mostSent {
		s.sent = nil
	}
	s.sent = append(s.sent, sequence...)
	s.stir()
}

func (s *Screen) stir() {
	select {
	case s.stirred <- struct{}{}:
	default:
	}
}

// Run takes the terminal, and writes what is shown until ctx ends. The terminal
// is as it was then, unless it cannot be written to.
func (s *Screen) Run(ctx context.Context) error {
	if _, err := io.WriteString(s.out, enter); err != nil {
		return err
	}
	var shown frame
	for {
		select {
		case <-ctx.Done():
			_, err := io.WriteString(s.out, leave)
			return err
		case <-s.stirred:
		}
		soonest := time.After(s.every)
		var text string
		if shown, text = s.news(shown); text == "" {
			continue
		}
		if _, err := io.WriteString(s.out, text); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-soonest:
		}
	}
}

func (s *Screen) news(shown frame) (next frame, text string) {
	s.mu.Lock()
	next, anew, sent := s.next, s.anew, s.sent
	s.anew, s.sent = false, nil
	s.mu.Unlock()
	var out strings.Builder
	out.Write(sent)
	if anew {
		shown = frame{mouse: shown.mouse, title: shown.title, shape: shown.shape, cursor: shown.cursor}
		out.WriteString(clearAll)
	}
	if next != shown {
		next.write(&out, shown, s.profile)
	}
	return next, out.String()
}
