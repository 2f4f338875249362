// Package screen shows frames on a terminal at the other end of a connection. It
// keeps the newest frame and nothing else, and does nothing while none is new. The
// renderer of Bubble Tea has a guest take four times the memory, and the keys of 200
// guests wait three times as long.
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

// Screen writes frames to a terminal. It is safe for concurrent use; only Run waits.
type Screen struct {
	out     io.Writer
	profile colorprofile.Profile
	every   time.Duration
	stirred chan struct{}

	mu   sync.Mutex
	next frame
	// anew says that the terminal shows nothing known; sent is what goes there outside the frames.
	anew bool
	sent []byte
}

// New returns a screen of a terminal, whose frames are at least so far apart.
func New(out io.Writer, profile colorprofile.Profile, every time.Duration) *Screen {
	return &Screen{out: out, profile: profile, every: every, stirred: make(chan struct{}, 1)}
}

// Show has a frame written, unless a newer one comes before. Only what newFrame reads counts.
func (s *Screen) Show(v tea.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := newFrame(v); s.anew || f != s.next {
		s.next = f
		s.stir()
	}
}

// Clear has the next frame written as a whole, as after another size.
func (s *Screen) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.anew = true
}

const mostSent = 1 << 20

// Send has an escape sequence written. Those that wait are dropped beyond 1 MiB: the newest copy counts.
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

// Run takes the terminal, writes frames until ctx ends, and restores the terminal.
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
