//go:build unix

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// startDashboard starts the dashboard with the test service.
func startDashboard(t *testing.T) *program {
	t.Helper()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	return start(t, t.TempDir(), []string{"TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + testKey})
}

func TestDemoLeavesNoFiles(t *testing.T) {
	t.Parallel()
	home, temp := t.TempDir(), t.TempDir()
	p := start(t, home, []string{"TMPDIR=" + temp}, "demo").read()
	p.await("Market")
	p.await("\x1b[?1049h")
	p.await("Alder Bank Wind")
	p.await(" ago: $") // time of the last price move
	before, _, _ := strings.Cut(p.written(), "\x1b[?1049h")
	if strings.Trim(stripEscapes(before), "\r\n ") != "" {
		t.Errorf("output before the dashboard: %q", before)
	}
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%q", status, tail(p.written()))
	}
	p.restored()
	for _, dir := range []string{home, temp} {
		if left := files(t, dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// stripEscapes removes escape sequences, such as queries to the terminal.
func stripEscapes(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\x1b' {
			out.WriteByte(s[i])
			continue
		}
		for i++; i < len(s) && (s[i] < '@' || s[i] > '~' || s[i] == '[' || s[i] == ']'); i++ {
			if s[i] == '\a' {
				break
			}
		}
	}
	return out.String()
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDemoKeepWritesDatabase(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	p := start(t, t.TempDir(), nil, "demo", "--keep", dir).read()
	p.await("Market")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%q", status, tail(p.written()))
	}
	if _, err := os.Stat(filepath.Join(dir, "demo.db")); err != nil {
		t.Error(err)
	}
}

func TestSignalsRestoreTerminal(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			p := startDashboard(t).read()
			p.await("6.20")
			p.signal(signal)
			if status := p.end(); status != want {
				t.Errorf("status %d, want %d:\n%q", status, want, tail(p.written()))
			}
			p.restored()
		})
	}
}

func TestCtrlCExitsLikeSIGINT(t *testing.T) {
	t.Parallel()
	p := startDashboard(t).read()
	p.await("6.20")
	p.press("\x03")
	if status := p.end(); status != 130 {
		t.Errorf("status %d", status)
	}
	p.restored()
}

func TestSignalEndsDashboardOnStalledTerminal(t *testing.T) {
	t.Parallel()
	p := startDashboard(t)
	p.stall()
	p.signal(syscall.SIGTERM)
	if status := p.end(); status != 143 {
		t.Errorf("status %d", status)
	}
	p.modesRestored()
}

func TestClosedTerminalEndsDashboard(t *testing.T) {
	t.Parallel()
	p := startDashboard(t).read()
	p.await("6.20")
	if err := errors.Join(p.slave.Close(), p.master.Close()); err != nil {
		t.Fatal(err)
	}
	if status := p.end(); status != 129 {
		t.Errorf("status %d", status)
	}
}

// The kernel sends the signal to the shell of the terminal's session, which may not pass
// it on.
func TestClosedTerminalEndsDashboardWithoutSIGHUP(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"the dashboard": {"demo"}, "the first run": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startIn(t, &syscall.SysProcAttr{Setsid: true}, 120, 36, environment(t.TempDir()), os.Args[0], args...).read()
			p.await("\x1b[?1049h")
			if err := p.master.Close(); err != nil {
				t.Fatal(err)
			}
			// The kernel closes the terminal when the current read has ended.
			_, _ = p.slave.WriteString(" ")
			if err := p.slave.Close(); err != nil {
				t.Fatal(err)
			}
			if status := p.end(); status != 129 {
				t.Errorf("status %d", status)
			}
		})
	}
}

func TestDashboardShowsProfileAndHidesKey(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	home := t.TempDir()
	settings := "[profiles.prod]\nbase_url = \"" + server.URL + "\"\nlabel = \"Acme production\"\nproduction = true\n"
	if err := os.MkdirAll(home+"/config/tonne", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(home+"/config/tonne/config.toml", []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, home, []string{"TONNE_API_KEY=" + testKey}, "--profile", "prod").read()
	p.await("Acme production")
	p.await("6.20")
	if runtime.GOOS == "linux" {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.cmd.Process.Pid))
		if err != nil || bytes.Contains(line, []byte(testKey)) {
			t.Errorf("the process list shows %q, %v", line, err)
		}
	}
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d", status)
	}
	if strings.Contains(p.written(), testKey) {
		t.Error("the key is on the screen")
	}
}

func TestInvalidKeyBindingIsConfigurationError(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, "config.toml")
	if err := os.WriteFile(file, []byte("[keys]\n\"no.such.binding\" = \"x\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, home, []string{"TONNE_CONFIG=" + file}, "demo").read()
	if status := p.end(); status != 2 {
		t.Errorf("status %d", status)
	}
	p.await("no.such.binding")
	p.restored()
}

func TestDashboardPanicRestoresTerminal(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	home := t.TempDir()
	mark, log := filepath.Join(home, "break"), filepath.Join(home, "debug.log")
	p := start(t, home, []string{
		programVariable + "=" + brokenProgram, "TONNE_TEST_BREAK=" + mark, "TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + testKey,
	}, "--debug", log).read()
	p.await("6.20")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p.press("jk")
	if status := p.end(); status != 1 {
		t.Errorf("status %d", status)
	}
	p.await("tonne stopped because of an internal error")
	p.restored()
	if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), "goroutine ") {
		t.Errorf("the debug log has no stack: %v", err)
	}
}

// Without a terminal there is nothing left to draw on, so the dashboard ends even if its
// parent made it ignore the signal.
func TestIgnoredSIGHUPStillEndsDashboard(t *testing.T) {
	t.Parallel()
	p := startAt(t, 120, 36, environment(t.TempDir()), "/bin/sh", "-c", `trap '' HUP; exec "$0" demo`, os.Args[0]).read()
	p.await("Alder Bank Wind")
	p.signal(syscall.SIGHUP)
	if status := p.end(); status != 129 {
		t.Errorf("status %d", status)
	}
}
