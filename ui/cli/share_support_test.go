package cli

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
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
	check(t, os.WriteFile(p.path, file, 0o600))
	return p
}

// line returns the person's line of an authorized_keys file.
func (p person) line(options string) string { return sshdtest.Line(options, p.signer, p.name) }

// safeBuffer is a buffer for concurrent use.
type safeBuffer = sshdtest.Buffer

// shared is a running `tonne share` in this process.
type shared struct {
	t    testing.TB
	keys string
	port string
	// printed are the lines at the start.
	printed string
	log     *safeBuffer
	stop    context.CancelCauseFunc
	ended   chan int
}

// startShare starts `tonne share` with lines of authorized_keys.
func startShare(t *testing.T, lines ...string) *shared {
	t.Helper()
	return shareOver(t, apitest.Transport(new(service)), lines...)
}

// shareOver starts `tonne share` with a transport.
func shareOver(t *testing.T, network http.RoundTripper, lines ...string) *shared {
	t.Helper()
	p := newWorld(t, nil).process()
	p.Transport = network
	return runShare(t, p, lines...)
}

// runShare starts `tonne share` in an environment and waits until it listens.
func runShare(t testing.TB, p command.Process, lines ...string) *shared {
	t.Helper()
	d := &shared{t: t, log: new(safeBuffer), ended: make(chan int, 1)}
	d.keys = filepath.Join(p.Getenv("XDG_CONFIG_HOME"), "tonne", "authorized_keys")
	d.setKeys(lines...)
	out, in := io.Pipe()
	ctx, cancel := context.WithCancelCause(context.Background())
	d.stop = cancel
	p.Args = append([]string{"share", "--listen", "127.0.0.1:0"}, p.Args...)
	p.Stdin, p.Stdout, p.Stderr = strings.NewReader(""), in, d.log
	go func() {
		d.ended <- Run(ctx, p)
		_ = in.Close()
	}()
	// The lines are written at once.
	text := make([]byte, 4096)
	n, err := out.Read(text)
	if err != nil {
		t.Fatalf("share does not listen: %v\n%s", err, d.log)
	}
	go io.Copy(io.Discard, out)
	d.printed = string(text[:n])
	_, d.port, err = net.SplitHostPort(field(d.printed, "listening")[len("on "):])
	check(t, err)
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
	check(d.t, err)
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

// exec runs a command with Go's client.
func (d *shared) exec(c *ssh.Client, command, stdin string) result {
	d.t.Helper()
	status, stdout, stderr := sshdtest.Run(d.t, c, command, stdin)
	return result{status, stdout, stderr}
}

// dial logs in with Go's client.
func (d *shared) dial(p person) *ssh.Client {
	d.t.Helper()
	c, err := ssh.Dial("tcp", "127.0.0.1:"+d.port, &ssh.ClientConfig{
		User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(p.signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: timeout,
	})
	check(d.t, err)
	d.t.Cleanup(func() { _ = c.Close() })
	return c
}
