package clipboard

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

func TestSequenceIsWrappedForMultiplexers(t *testing.T) {
	t.Parallel()
	const text = "$6.20\tBale Mountains · 2019"
	for _, test := range []struct{ env, value, begin, end string }{
		{"", "", "\x1b]52;c;", "\a"},
		{"TMUX", "/tmp/tmux-0/default,1,0", "\x1bPtmux;\x1b\x1b]52;c;", "\a\x1b\\"},
		{"TERM", "screen-256color", "\x1bP\x1b]52;c;", "\a\x1b\\"},
	} {
		sequence, err := Sequence(text, func(name string) string {
			if name == test.env {
				return test.value
			}
			return ""
		})
		if err != nil {
			t.Fatal(err)
		}
		inner, begins := strings.CutPrefix(sequence, test.begin)
		inner, ends := strings.CutSuffix(inner, test.end)
		if decoded, err := base64.StdEncoding.DecodeString(inner); !begins || !ends || err != nil || string(decoded) != text {
			t.Errorf("%s=%s: %q", test.env, test.value, sequence)
		}
	}
}

func TestSequenceRejectsTooLargeText(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	if _, err := Sequence(strings.Repeat("x", MaxBytes), none); err != nil {
		t.Error(err)
	}
	if _, err := Sequence(strings.Repeat("x", MaxBytes+1), none); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

// A remote user's text must not appear on the clipboard of this machine.
func TestNativeIsDisabledForRemoteUsers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"SSH_TTY", "SSH_CONNECTION"} {
		err := Native(t.Context(), "x", func(n string) string {
			if n == name {
				return "1"
			}
			return ""
		})
		if !errors.Is(err, ErrNoNative) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
