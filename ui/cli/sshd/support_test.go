package sshd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/crypto/ssh"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// timeout fails a test that waits for something that never happens.
const timeout = 2 * time.Minute

func newKey(t testing.TB) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// line returns a line of an authorized_keys file.
func line(options string, key ssh.Signer, comment string) string {
	text := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
	return strings.TrimSpace(options+" "+text+" "+comment) + "\n"
}

func writeKeys(t testing.TB, path string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// testServer is a server that admits one key.
type testServer struct {
	*Server
	t       testing.TB
	keys    string
	key     ssh.Signer
	host    ssh.Signer
	address string
	log     *logBuffer
	stop    context.CancelFunc
	ended   chan error
}

func startServer(t testing.TB, limits func(*Limits), serve func(context.Context, *Session) int) *testServer {
	t.Helper()
	return startServerWithOptions(t, "", limits, serve)
}

func startServerWithOptions(t testing.TB, options string, limits func(*Limits), serve func(context.Context, *Session) int) *testServer {
	t.Helper()
	h := &testServer{t: t, keys: filepath.Join(t.TempDir(), "authorized_keys"), key: newKey(t), host: newKey(t), log: new(logBuffer), ended: make(chan error, 1)}
	writeKeys(t, h.keys, line(options, h.key, "ada@example"))
	file, err := OpenKeys(h.keys)
	if err != nil {
		t.Fatal(err)
	}
	l := DefaultLimits()
	l.PerSecond, l.Burst = 1e6, 1e6
	l.Reload, l.Drain, l.Leave = 20*time.Millisecond, 500*time.Millisecond, 100*time.Millisecond
	if limits != nil {
		limits(&l)
	}
	h.Server = New(Options{
		Keys: file, HostKey: h.host, Serve: serve, Check: func(Person) error { return nil },
		Log: slog.New(slog.NewJSONHandler(h.log, nil)), Limits: l, Now: time.Now,
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.address = listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	h.stop = cancel
	go func() { h.ended <- h.Serve(ctx, listener) }()
	t.Cleanup(h.close)
	return h
}

func (h *testServer) close() {
	h.stop()
	select {
	case err := <-h.ended:
		if err != nil {
			h.t.Error(err)
		}
		h.ended <- nil
	case <-time.After(timeout):
		h.t.Fatal("the server does not shut down")
	}
}

func (h *testServer) dial(key ssh.Signer, auth ...ssh.AuthMethod) (*ssh.Client, error) {
	if key != nil {
		auth = append(auth, ssh.PublicKeys(key))
	}
	return ssh.Dial("tcp", h.address, &ssh.ClientConfig{
		User: "ada", Auth: auth, HostKeyCallback: ssh.FixedHostKey(h.host.PublicKey()), Timeout: timeout,
	})
}

// login logs in with the admitted key.
func (h *testServer) login() *ssh.Client {
	h.t.Helper()
	c, err := h.dial(h.key)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.Close() })
	return c
}

// run runs a command in a new session.
func (h *testServer) run(c *ssh.Client, command string) (status int, stdout, stderr string) {
	h.t.Helper()
	s, err := c.NewSession()
	if err != nil {
		h.t.Fatal(err)
	}
	defer s.Close()
	var out, errs bytes.Buffer
	s.Stdout, s.Stderr = &out, &errs
	err = s.Run(command)
	if exit, failed := err.(*ssh.ExitError); failed {
		status, err = exit.ExitStatus(), nil
	}
	if err != nil {
		h.t.Fatalf("%s: %v", command, err)
	}
	return status, out.String(), errs.String()
}

// eventually waits until done returns true.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(timeout); !done(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("timeout: " + what)
		}
	}
}

func (h *testServer) logs(parts ...string) {
	h.t.Helper()
	eventually(h.t, fmt.Sprintf("no log entry with %q", parts), func() bool {
		for entry := range strings.Lines(h.log.String()) {
			all := true
			for _, part := range parts {
				all = all && strings.Contains(entry, part)
			}
			if all {
				return true
			}
		}
		return false
	})
}

// waitForKey waits until the server has loaded a key.
func (h *testServer) waitForKey(key ssh.Signer) {
	h.t.Helper()
	eventually(h.t, "the key is not loaded", func() bool {
		_, in := h.o.Keys.Find(ssh.FingerprintSHA256(key.PublicKey()), time.Now())
		return in
	})
}

// echoCommand prints the command, and exits with 7.
func echoCommand(_ context.Context, s *Session) int {
	_, _ = fmt.Fprintf(s.Out, "%s runs %q\n", s.Person.Name, s.Command)
	_, _ = io.WriteString(s.Err, "stderr\n")
	return 7
}

// wait runs until the session ends, and prints the cause.
func wait(ctx context.Context, s *Session) int {
	_, _ = io.WriteString(s.Out, "ready\n")
	<-ctx.Done()
	_, _ = fmt.Fprintln(s.Out, context.Cause(ctx))
	return 1
}
