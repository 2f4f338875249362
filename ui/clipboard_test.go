package ui_test

import (
	"encoding/base64"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/clipboard"
)

func TestSequenceIsWrappedForMultiplexers(t *testing.T) {
	t.Parallel()
	const text = "$6.20\tBale Mountains · 2019"
	for _, test := range []struct{ env, value, begin, end string }{
		{"", "", "\x1b]52;c;", "\a"},
		{"TMUX", "/tmp/tmux-0/default,1,0", "\x1bPtmux;\x1b\x1b]52;c;", "\a\x1b\\"},
		{"TERM", "screen-256color", "\x1bP\x1b]52;c;", "\a\x1b\\"},
	} {
		sequence, err := clipboard.Sequence(text, func(name string) string {
			if name == test.env {
				return test.value
			}
			return ""
		})
		must.Succeed(t, err)
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
	_, err := clipboard.Sequence(strings.Repeat("x", clipboard.MaxBytes), none)
	must.Hold(t, err == nil, err)
	if _, err := clipboard.Sequence(strings.Repeat("x", clipboard.MaxBytes+1), none); !errors.Is(err,
		clipboard.ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

// A remote user's text must not appear on the clipboard of this machine.
func TestNativeIsDisabledForRemoteUsers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"SSH_TTY", "SSH_CONNECTION"} {
		err := clipboard.Native(t.Context(), "x", func(n string) string {
			if n == name {
				return "1"
			}
			return ""
		})
		must.Fail(t, err, clipboard.ErrNoNative, name)
	}
}

// By default, tmux does not pass on the sequence. The text must be in its buffer with any
// value of set-clipboard.
func TestTmuxBufferHasTheTextWithAnySetting(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux on this machine: ", err)
	}
	socket := filepath.Join(t.TempDir(), "s")
	tmux := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "tmux",
			append([]string{"-S", socket, "-f", "/dev/null"}, args...)...).Output()
		must.Succeed(t, err)
		return string(out)
	}
	tmux("new-session", "-d", "-x", "80", "-y", "24", "cat")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })
	for _, setting := range []string{"off", "external", "on"} {
		tmux("set-option", "-g", "allow-passthrough", "off")
		tmux("set-option", "-s", "set-clipboard", setting)
		text := "Bale Mountains · 2019\t$6.20\n" + setting
		err := clipboard.Tmux(t.Context(), text, func(name string) string {
			if name == "TMUX" {
				return socket + ",1,0"
			}
			return ""
		})
		got := tmux("show-buffer")
		must.Hold(t, err == nil && got == text, "set-clipboard", setting, got, err)
	}
}

func TestTmuxFailsOutsideTmux(t *testing.T) {
	t.Parallel()
	err := clipboard.Tmux(t.Context(), "x", func(string) string { return "" })
	must.Fail(t, err, clipboard.ErrNoTmux)
}
