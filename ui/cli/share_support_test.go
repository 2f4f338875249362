//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/sshd/sshdtest"
)

// person is a user with an SSH key, in a file and in memory.
type person struct {
	name, path string
	signer     ssh.Signer
}

func newPerson(t testing.TB, name string) person {
	t.Helper()
	signer, file := sshdtest.NewKey(t)
	p := person{name, filepath.Join(t.TempDir(), "key"), signer}
	if err := os.WriteFile(p.path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// line returns the person's line of an authorized_keys file.
func (p person) line(options string) string { return sshdtest.Line(options, p.signer, p.name) }

// safeBuffer is a buffer for concurrent use.
type safeBuffer = sshdtest.Buffer

// shared is a running `tonne share` in this process.
type shared struct {
	t       testing.TB
	world   *world
	service *service
	keys    string
	port    string
	log     *safeBuffer
	stop    context.CancelCauseFunc
	ended   chan int
}

// startShare starts `tonne share` with lines of authorized_keys.
func startShare(t testing.TB, lines ...string) *shared {
	t.Helper()
	s := new(service)
	d := shareOver(t, apitest.Transport(s), nil, nil, lines...)
	d.service = s
	return d
}

// shareOver starts `tonne share` with a transport, a function that prepares the environment,
// and flags.
func shareOver(t testing.TB, network http.RoundTripper, prepare func(env map[string]string, ring *fakeRing), flags []string, lines ...string) *shared {
	t.Helper()
	d := &shared{t: t, log: new(safeBuffer), ended: make(chan int, 1)}
	home := t.TempDir()
	env := map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_DATA_HOME": filepath.Join(home, "data"),
		"XDG_STATE_HOME": filepath.Join(home, "state"), "TONNE_BASE_URL": baseURL, "TONNE_API_KEY": testKey,
	}
	d.keys = filepath.Join(home, "config", "tonne", "authorized_keys")
	d.setKeys(lines...)
	ring := newFakeRing()
	if prepare != nil {
		prepare(env, ring)
	}
	out, in := io.Pipe()
	ctx, cancel := context.WithCancelCause(context.Background())
	d.stop = cancel
	go func() {
		d.ended <- Run(ctx, command.Process{
			Args: append([]string{"share", "--listen", "127.0.0.1:0"}, flags...), Stdin: strings.NewReader(""), Stdout: in, Stderr: d.log,
			Getenv: func(name string) string { return env[name] }, Now: time.Now, Keyring: ring, Transport: network,
		})
		_ = in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("share does not listen: %v\n%s", err, d.log)
	}
	go io.Copy(io.Discard, out)
	_, d.port, err = net.SplitHostPort(strings.TrimSpace(strings.TrimPrefix(line, "listening on ")))
	if err != nil {
		t.Fatal(err)
	}
	d.world = &world{t: nil, env: env}
	t.Cleanup(func() {
		d.close()
		if strings.Contains(d.log.String(), testKey) {
			t.Error("the log contains the API key")
		}
	})
	return d
}

func (d *shared) close() int {
	d.stop(nil)
	select {
	case status := <-d.ended:
		d.ended <- status
		return status
	case <-time.After(timeout):
		d.t.Fatal("the server does not shut down")
		return 0
	}
}

// setKeys writes the authorized_keys file.
func (d *shared) setKeys(lines ...string) {
	d.t.Helper()
	err := errors.Join(os.MkdirAll(filepath.Dir(d.keys), 0o700), os.WriteFile(d.keys, []byte(strings.Join(lines, "")), 0o600))
	if err != nil {
		d.t.Fatal(err)
	}
}

// logs waits until a log entry contains all parts.
func (d *shared) logs(parts ...string) {
	d.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(5 * time.Millisecond) {
		if d.log.HasLine(parts...) {
			return
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("%q is not logged:\n%s", parts, d.log)
		}
	}
}

// openSSH returns the path of a program of OpenSSH's client. The test is skipped if it is
// not installed.
func openSSH(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil && os.Getenv("TONNE_TEST_REQUIRE_SSH") != "" {
		t.Fatalf("%s is not installed: %v", program, err)
	}
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}

// options returns the client's options for a person.
func (d *shared) options(p person, port string) []string {
	return []string{
		"-F", "/dev/null", port, d.port, "-i", p.path, "-o", "IdentitiesOnly=yes", "-o", "StrictHostKeyChecking=no",
		"-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "BatchMode=yes", "-o", "IdentityAgent=none",
	}
}

// ssh runs OpenSSH's client with a command and without a terminal.
func (d *shared) ssh(p person, stdin string, args ...string) result {
	d.t.Helper()
	return d.client("ssh", stdin, append(append(d.options(p, "-p"), "127.0.0.1", "--"), args...)...)
}

// client runs a program of OpenSSH's client.
func (d *shared) client(program, stdin string, args ...string) result {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, openSSH(d.t, program), args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.t.TempDir(), "TERM=xterm-256color"}
	_ = cmd.Run()
	if ctx.Err() != nil {
		d.t.Fatalf("%s %q does not end", program, args)
	}
	r := result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	if strings.Contains(r.stdout+r.stderr, testKey) {
		d.t.Errorf("%s %q prints the API key", program, args)
	}
	return r
}

// sshDashboard opens the dashboard with OpenSSH's client on a terminal.
func (d *shared) sshDashboard(t testing.TB, p person, width, height uint16, more ...string) *program {
	t.Helper()
	args := append(append(d.options(p, "-p"), more...), "-tt", "127.0.0.1")
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=xterm-256color"}
	return startAt(t, width, height, env, openSSH(t, "ssh"), args...).read()
}

// exec runs a command with Go's client.
func (d *shared) exec(c *ssh.Client, command string) result {
	d.t.Helper()
	s, err := c.NewSession()
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var stdout, stderr bytes.Buffer
	s.Stdout, s.Stderr = &stdout, &stderr
	status := 0
	if err := s.Run(command); err != nil {
		var exit *ssh.ExitError
		if !errors.As(err, &exit) {
			d.t.Fatalf("%s: %v", command, err)
		}
		status = exit.ExitStatus()
	}
	return result{status, stdout.String(), stderr.String()}
}

// dial logs in with Go's client.
func (d *shared) dial(p person) *ssh.Client {
	d.t.Helper()
	c, err := ssh.Dial("tcp", "127.0.0.1:"+d.port, &ssh.ClientConfig{
		User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(p.signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: timeout,
	})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = c.Close() })
	return c
}
