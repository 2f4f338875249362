package uitest

import (
	"strings"
	"testing"

	must "tonne/model/musttest"
)

// Screen checks the text on the screen. A robot embeds it.
type Screen struct {
	T testing.TB
	// Text returns the text on the screen, without styles.
	Text func() string
}

// Equal fails unless what has the wanted value.
func (s *Screen) Equal(what string, got, want any) {
	s.T.Helper()
	must.Equal(s.T, got, want, what)
}

// Sees fails unless all texts are on the screen.
func (s *Screen) Sees(texts ...string) {
	s.T.Helper()
	all := s.Text()
	for _, text := range texts {
		must.Hold(s.T, strings.Contains(all, text), text, all)
	}
}

// SeesNot fails if one of the texts is on the screen.
func (s *Screen) SeesNot(texts ...string) {
	s.T.Helper()
	all := s.Text()
	for _, text := range texts {
		must.Hold(s.T, !strings.Contains(all, text), text, all)
	}
}

// LineHas fails unless the line that contains a text contains all other texts too.
func (s *Screen) LineHas(text string, others ...string) {
	s.T.Helper()
	line := s.Line(text)
	for _, other := range others {
		must.Hold(s.T, strings.Contains(line, other), other, line)
	}
}

// Line returns the line of the screen that contains a text.
func (s *Screen) Line(text string) string {
	s.T.Helper()
	all := s.Text()
	for line := range strings.SplitSeq(all, "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	s.T.Fatalf("no line contains %q:\n%s", text, all)
	return ""
}
