//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestLoginPromptDoesNotEchoKey(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	p := start(t, t.TempDir(), nil, "auth", "login", "--file", "--base-url", server.URL).read()
	p.await("(hidden)")
	p.press(testKey + "\n")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%s", status, tail(p.written()))
	}
	if strings.Contains(p.written(), testKey) {
		t.Error("the key is on the screen")
	}
	p.restored()
}

func TestSignalAtLoginPromptRestoresEcho(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil, "auth", "login", "--base-url", "http://127.0.0.1:1").read()
	p.await("(hidden)")
	p.signal(syscall.SIGTERM)
	if status := p.end(); status != 143 {
		t.Errorf("status %d", status)
	}
	p.restored()
}

func TestFirstRunOffersDemo(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil).read()
	p.await("Look around in the demo")
	p.press("\r")
	p.await("synthetic data · demo")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d:\n%q", status, tail(p.written()))
	}
	p.restored()
}

func TestFirstRunConnectsAndSaves(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	home := t.TempDir()
	p := start(t, home, nil).read()
	p.await("Look around in the demo")
	p.press("\x1b[B\r")
	p.await("Address of the marketplace")
	p.press(server.URL + "\r")
	p.await("The key is checked with one request")
	p.press(testKey + "\r")
	p.await("6.20")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d", status)
	}
	if strings.Contains(p.written(), testKey) {
		t.Error("the key is on the screen")
	}
	again := start(t, home, nil).read()
	again.await("6.20")
	again.press("q")
	if status := again.end(); status != 0 {
		t.Errorf("status %d", status)
	}
}

func TestAltDInAddressDoesNotQuitFirstRun(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil).read()
	p.await("Look around in the demo")
	p.press("\x1b[B\r")
	p.await("Address of the marketplace")
	p.press("http://127.0.0.1:1\x1b[D\x1bd")
	p.press("\r")
	p.await("The key is checked with one request")
	p.signal(syscall.SIGTERM)
	if status := p.end(); status != 143 {
		t.Errorf("status %d", status)
	}
	p.restored()
}

func TestSignalEndsFirstRun(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil).read()
	p.await("Look around in the demo")
	p.signal(syscall.SIGTERM)
	if status := p.end(); status != 143 {
		t.Errorf("status %d", status)
	}
	p.restored()
}

// pipedCommand returns a command of tonne without a terminal.
func pipedCommand(t *testing.T, server *httptest.Server, args ...string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = environment(t.TempDir(), "TONNE_BASE_URL="+server.URL, "TONNE_API_KEY="+testKey)
	stderr := new(strings.Builder)
	cmd.Stderr = stderr
	return cmd, stderr
}

func TestClosedPipeOfProcess(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	cmd, stderr := pipedCommand(t, server, "market", "-o", "csv")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := errors.Join(r.Close(), cmd.Start(), w.Close()); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if stderr.String() != "" || err != nil && status.Signal() != syscall.SIGPIPE {
		t.Errorf("%v, %q", err, stderr)
	}
}

func TestFullDeviceOfProcess(t *testing.T) {
	t.Parallel()
	out, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer out.Close()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	cmd, stderr := pipedCommand(t, server, "market", "-o", "csv")
	cmd.Stdout = out
	_ = cmd.Run()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(stderr.String(), "no space left") {
		t.Errorf("status %d, %s", cmd.ProcessState.ExitCode(), stderr)
	}
}

// serveOutput reads the output of the service until it listens.
func serveOutput(t testing.TB, out io.Reader) map[string]string {
	t.Helper()
	values := make(map[string]string)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		values[word] = strings.TrimPrefix(rest, "on ")
		if word == "listening" {
			return values
		}
	}
	t.Fatal("the service does not listen")
	return nil
}

// startServing starts a service and returns its output by first word, once it listens.
func startServing(t testing.TB, cmd *exec.Cmd) map[string]string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return serveOutput(t, out)
}

func TestServeRunsUntilSIGTERM(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := exec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--demo-data", "--live", "--advance", "1h")
	cmd.Env = environment(home)
	values := startServing(t, cmd)
	client := exec.Command(os.Args[0], "market", "-o", "csv")
	client.Env = environment(home, "TONNE_BASE_URL="+values["listening"], "TONNE_API_KEY="+values["key"])
	printed, err := client.Output()
	if err != nil || !bytes.HasPrefix(printed, []byte("project_id,project_name,vintage_id,")) {
		t.Errorf("%v: %s", err, printed)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 143 {
		t.Errorf("status %d", status)
	}
	if _, err := os.Stat(filepath.Join(home, "data", "tonne", "marketplace.db")); err != nil {
		t.Error(err)
	}
}

func TestIgnoredSignalsStayIgnored(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", `trap '' HUP INT; exec "$0" serve --listen 127.0.0.1:0`, os.Args[0])
	cmd.Env = environment(home)
	startServing(t, cmd)
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 143 {
		t.Errorf("status %d: an ignored signal ended the service", status)
	}
}

func TestFirstRunPromptsAgainAfterRefusedKey(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	p := start(t, t.TempDir(), nil).read()
	p.await("Look around in the demo")
	p.press("\x1b[B\r")
	p.await("Address of the marketplace")
	p.press(server.URL + "\rmistyped\r")
	p.await("(401)")
	p.press(testKey + "\r")
	p.await("6.20")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d", status)
	}
	if strings.Contains(p.written(), "mistyped") {
		t.Error("the refused key is on the screen")
	}
	p.restored()
}

func TestQuittingFirstRunIsSilent(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]int{"q": 0, "\x1b": 0, "\x03": 130} {
		p := start(t, t.TempDir(), nil).read()
		p.await("Look around in the demo")
		p.press(key)
		if status := p.end(); status != want {
			t.Errorf("%q: status %d, want %d", key, status, want)
		}
		p.restored()
	}
}
