package cli

import (
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"

	"tonne/api/apitest"
	must "tonne/model/musttest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/sshd/sshdtest"
)

// person is a user with an SSH key, in a file and in memory.
type person struct {
	path   string
	signer ssh.Signer
}

// people are users by name.
type people map[string]person

// lines returns the lines of authorized_keys for words of NAME or NAME:OPTIONS. It adds those
// who have no key yet.
func (p people) lines(t testing.TB, words []string) (lines string) {
	t.Helper()
	for _, word := range words {
		name, options, _ := strings.Cut(word, ":")
		if _, known := p[name]; !known {
			key := sshdtest.Key(t)
			p[name] = person{filepath.Join(t.TempDir(), "key"), must.Get(ssh.NewSignerFromKey(key))}
			must.Succeed(t, os.WriteFile(p[name].path, pem.EncodeToMemory(must.Get(ssh.MarshalPrivateKey(key, ""))), 0o600))
		}
		lines += sshdtest.Line(options, p[name].signer, name)
	}
	return lines
}

// safeBuffer is a buffer for concurrent use.
type safeBuffer = sshdtest.Buffer

// shared is a running `tonne share` in this process.
type shared struct {
	t      testing.TB
	people people
	keys   string
	port   string
	// printed are the lines at the start.
	printed string
	log     *safeBuffer
	stop    context.CancelCauseFunc
	// close ends the server and returns its exit status.
	close func() int
}

// startShare starts `tonne share` for people with options of authorized_keys.
func startShare(t *testing.T, people ...string) *shared {
	t.Helper()
	return shareOver(t, apitest.Transport(new(service)), people...)
}

// shareOver starts `tonne share` with a transport.
func shareOver(t *testing.T, network http.RoundTripper, people ...string) *shared {
	t.Helper()
	p := newWorld(t, nil).process()
	p.Transport = network
	return runShare(t, p, nil, people...)
}

// runShare starts `tonne share` in an environment and waits until it listens.
func runShare(t testing.TB, p command.Process, known people, words ...string) *shared {
	t.Helper()
	d := &shared{t: t, log: new(safeBuffer), people: known}
	if known == nil {
		d.people = make(people)
	}
	d.keys = filepath.Join(p.Getenv("XDG_CONFIG_HOME"), "tonne", "authorized_keys")
	d.setKeys(words...)
	out, in := io.Pipe()
	ctx, cancel := context.WithCancelCause(context.Background())
	p.Args = append([]string{"share", "--listen", "127.0.0.1:0"}, p.Args...)
	p.Stdin, p.Stdout, p.Stderr = strings.NewReader(""), in, d.log
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, p)
		_ = in.Close()
	}()
	d.stop = cancel
	d.close = sync.OnceValue(func() int {
		cancel(nil)
		return <-ended
	})
	// The lines are written at once.
	text := make([]byte, 4096)
	n, err := out.Read(text)
	must.Need(t, err == nil, "share does not listen", err, d.log)
	go io.Copy(io.Discard, out)
	d.printed = string(text[:n])
	_, d.port, err = net.SplitHostPort(fieldOf(d.printed, "listening")[len("on "):])
	must.Succeed(t, err)
	t.Cleanup(func() {
		d.close()
		must.Hold(t, !strings.Contains(d.log.String(), testKey), "the log contains the API key")
	})
	return d
}

// setKeys writes the authorized_keys file.
func (d *shared) setKeys(words ...string) {
	d.t.Helper()
	must.Succeed(d.t, os.MkdirAll(filepath.Dir(d.keys), 0o700))
	must.Succeed(d.t, os.WriteFile(d.keys, []byte(d.people.lines(d.t, words)), 0o600))
}

// logs waits until a log entry contains all parts.
func (d *shared) logs(parts ...string) {
	d.t.Helper()
	d.log.Await(d.t, parts...)
}

// exec runs a command with Go's client.
func (d *shared) exec(who, command, stdin string) result {
	d.t.Helper()
	status, stdout, stderr := sshdtest.Run(d.t, d.dial(who), command, stdin)
	return result{status, stdout, stderr}
}

// dial logs in with Go's client.
func (d *shared) dial(who string) *ssh.Client {
	d.t.Helper()
	c, err := ssh.Dial("tcp", "127.0.0.1:"+d.port, &ssh.ClientConfig{
		User: "x", Auth: []ssh.AuthMethod{ssh.PublicKeys(d.people[who].signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	must.Succeed(d.t, err)
	d.t.Cleanup(func() { _ = c.Close() })
	return c
}
