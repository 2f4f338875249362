//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	must "tonne/model/musttest"
)

func TestLoginPromptDoesNotEchoKey(t *testing.T) {
	t.Parallel()
	address := listen(t, new(service))
	p := start(t, t.TempDir(), nil, "auth", "login", "--file", "--base-url", address).read()
	p.await("(hidden)")
	p.press(testKey + "\n")
	p.ends(0)
	p = start(t, t.TempDir(), nil, "auth", "login", "--base-url", "http://127.0.0.1:1").read()
	p.await("(hidden)")
	p.signal(syscall.SIGTERM)
	p.ends(143)
}

func TestPassphrasePromptDoesNotEcho(t *testing.T) {
	t.Parallel()
	address := listen(t, new(service))
	w := newWorld(t, nil)
	key, fingerprint := w.sshKey("secret words")
	pack := filepath.Join(w.env["HOME"], "a.zip")
	env := []string{"TONNE_API_KEY=" + testKey, "TONNE_BASE_URL=" + address}
	p := start(t, t.TempDir(), env, "retirement", "R2", "--pack", pack, "--sign", key).read()
	p.await("): ")
	p.press("secret words\n")
	p.ends(0)
	must.Hold(t, !strings.Contains(p.written(), "secret"), "the passphrase is on the screen", p.written())
	got := w.must("evidence", "verify", pack)
	must.Hold(t, strings.Contains(got, "by the key "+fingerprint), "verify prints", got)
}

// firstRun starts tonne without a configuration.
func firstRun(t *testing.T, home string) *program {
	p := start(t, home, nil).read()
	p.await("Look around in the demo")
	return p
}

// connect chooses the connection and types its address.
func (p *program) connect(address string) {
	p.press("\x1b[B\r")
	p.await("Address of the marketplace")
	p.press(address + "\r")
}

func TestFirstRunOffersDemo(t *testing.T) {
	t.Parallel()
	p := firstRun(t, t.TempDir())
	p.press("\r")
	p.await("synthetic data · demo")
	p.press("q")
	p.ends(0)
}

func TestFirstRunConnectsAndSaves(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := firstRun(t, home)
	p.connect(listen(t, new(service)))
	p.await("The key is checked with one request")
	p.press("mistyped\r")
	p.await("(401)")
	p.press(testKey + "\r")
	p.await("6.20")
	// Only now is the connection saved.
	again := start(t, home, nil).read()
	again.await("6.20")
	for _, p := range []*program{p, again} {
		p.press("q")
		p.ends(0)
	}
	must.Hold(t, !strings.Contains(p.written(), "mistyped"), "the refused key is on the screen")
}

func TestQuittingFirstRun(t *testing.T) {
	t.Parallel()
	p := firstRun(t, t.TempDir())
	p.press("\x03")
	p.ends(130)
	p = firstRun(t, t.TempDir())
	// Alt-d in an address does not quit.
	p.connect("http://127.0.0.1:1\x1b[D\x1bd")
	p.await("The key is checked with one request")
	p.signal(syscall.SIGTERM)
	p.ends(143)
}

func TestCtrlCEndsAnUnfinishedPaste(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), nil, "demo").read()
	p.await("Bale Mountains")
	p.press("/\x1b[200~unfinished")
	// The paste arrives after a second without input.
	p.await("unfinished")
	p.press("\x1b")
	p.press("\x1b[200~again")
	p.press("\x03")
	p.ends(130)
}

// pipedCommand returns a command of tonne without a terminal.
func pipedCommand(t *testing.T, address string, args ...string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = environment(t.TempDir(), "TONNE_BASE_URL="+address, "TONNE_API_KEY="+testKey)
	stderr := new(strings.Builder)
	cmd.Stderr = stderr
	return cmd, stderr
}

func TestClosedPipeEndsProcessSilently(t *testing.T) {
	t.Parallel()
	cmd, stderr := pipedCommand(t, listen(t, new(service)), "market", "-o", "csv")
	r, w, _ := os.Pipe()
	cmd.Stdout = w
	must.Succeed(t, r.Close(), cmd.Start(), w.Close())
	err := cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	must.Hold(t, stderr.String() == "" && (err == nil || status.Signal() == syscall.SIGPIPE), err, stderr)
}

func TestChildProcessesDoNotInheritKey(t *testing.T) {
	t.Parallel()
	k := &keyed{key: testKey, keys: make(map[string]int)}
	address, home := listen(t, k), t.TempDir()
	seen, editor := filepath.Join(home, "seen"), filepath.Join(home, "editor")
	must.Succeed(t, os.WriteFile(editor, []byte("#!/bin/sh\nenv >'"+seen+"'\n"), 0o700))
	for args, sends := range map[string]bool{`watch --once --vintage V1 --rule price<7 --exec $EDITOR`: true,
		"config edit": false} {
		clear(k.keys)
		cmd, stderr := pipedCommand(t, address, strings.Fields(args)...)
		cmd.Env = append(cmd.Env, "EDITOR="+editor)
		err := cmd.Run()
		must.Need(t, err == nil, err, stderr)
		child := string(must.Get(os.ReadFile(seen)))
		must.Hold(t, strings.Contains(child, "TONNE_BASE_URL="+address) && !strings.Contains(child, testKey),
			"the environment of the child process", child)
		must.Equal(t, k.keys[testKey] > 0, sends, args, "requests with the key")
	}
}
