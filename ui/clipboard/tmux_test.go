package clipboard

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
)

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
		out, err := exec.CommandContext(t.Context(), "tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...).Output()
		if err != nil {
			t.Fatal(args, err)
		}
		return string(out)
	}
	tmux("new-session", "-d", "-x", "80", "-y", "24", "cat")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })
	for _, setting := range []string{"off", "external", "on"} {
		tmux("set-option", "-g", "allow-passthrough", "off")
		tmux("set-option", "-s", "set-clipboard", setting)
		text := "Bale Mountains · 2019\t$6.20\n" + setting
		err := Tmux(t.Context(), text, func(name string) string {
			if name == "TMUX" {
				return socket + ",1,0"
			}
			return ""
		})
		if got := tmux("show-buffer"); err != nil || got != text {
			t.Errorf("set-clipboard %s: the buffer has %q, %v", setting, got, err)
		}
	}
}

func TestTmuxFailsOutsideTmux(t *testing.T) {
	t.Parallel()
	if err := Tmux(t.Context(), "x", func(string) string { return "" }); !errors.Is(err, ErrNoTmux) {
		t.Error(err)
	}
}
