package uitest

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Sound fails if a frame contains anything other than text, line feeds, and the styles
// and links of the dashboard: no other control sequence may reach the terminal.
func Sound(t testing.TB, frame string) {
	t.Helper()
	if !utf8.ValidString(frame) {
		t.Errorf("the frame is not UTF-8: %q", frame)
		return
	}
	for i := 0; i < len(frame); {
		size := soundAt(frame[i:])
		if size == 0 {
			t.Errorf("what a terminal would obey is in the frame: %q", frame[i:min(i+80, len(frame))])
			return
		}
		i += size
	}
}

// soundAt returns the length of the first character or sequence, or 0 if it must not
// reach a terminal.
func soundAt(s string) int {
	switch c := s[0]; {
	case c == '\x1b':
		return max(sgr(s), link(s))
	case c == '\n' || c >= ' ' && c < 0x7f:
		return 1
	case c < ' ' || c == 0x7f || c == 0xc2 && s[1] < 0xa0:
		return 0
	}
	_, size := utf8.DecodeRuneInString(s)
	return size
}

func sgr(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	n := 2
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == ';') {
		n++
	}
	if n < len(s) && s[n] == 'm' {
		return n + 1
	}
	return 0
}

func link(s string) int {
	if !strings.HasPrefix(s, "\x1b]8;;") {
		return 0
	}
	n := len("\x1b]8;;")
	for n < len(s) && s[n] > ' ' && s[n] < 0x7f {
		n++
	}
	if strings.HasPrefix(s[n:], "\x1b\\") {
		return n + 2
	}
	return 0
}
