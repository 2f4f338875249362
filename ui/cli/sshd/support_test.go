package sshd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/crypto/ssh"

	"tonne/ui/cli/sshd/sshdtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// timeout fails a test that waits for something that never happens.
const timeout = 2 * time.Minute

func newKey(t testing.TB) ssh.Signer {
	t.Helper()
	key, _ := sshdtest.NewKey(t)
	return key
}

var line = sshdtest.Line

func writeKeys(t testing.TB, path string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
}

type handler = func(context.Context, *Session) int

// testServer is a server that admits Ada's key, and Ben's once addBen was called.
type testServer struct {
	*Server
	t        *testing.T
	keys     string
	key, ben ssh.Signer
	host     ssh.Signer
	log      *sshdtest.Buffer
	stop     context.CancelFunc
	dialRaw  func() (net.Conn, error)
}

// bubble runs a test with a server in a bubble, in which no real time passes.
func bubble(t *testing.T, limits func(*Limits), serve handler, test func(t *testing.T, h *testServer)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := sshdtest.Listen()
		test(t, startServer(t, l, func() (net.Conn, error) { return l.Dial("127.0.0.1:50000") }, limits, serve))
	})
}

// onTCP starts a server on a port.
func onTCP(t *testing.T, limits func(*Limits), serve handler) (h *testServer, address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	return startServer(t, l, func() (net.Conn, error) { return net.Dial("tcp", address) }, limits, serve), address
}

func startServer(t *testing.T, l net.Listener, dial func() (net.Conn, error), limits func(*Limits), serve handler) *testServer {
	t.Helper()
	h := &testServer{t: t, keys: filepath.Join(t.TempDir(), "authorized_keys"), key: newKey(t), ben: newKey(t), host: newKey(t), log: new(sshdtest.Buffer), dialRaw: dial}
	writeKeys(t, h.keys, line("", h.key, "ada@example"))
	file, err := OpenKeys(h.keys)
	if err != nil {
		t.Fatal(err)
	}
	bounds := DefaultLimits()
	if limits != nil {
		limits(&bounds)
	}
	h.Server = New(Options{
		Keys: file, HostKey: h.host, Serve: serve, Check: func(Person) error { return nil },
		Log: slog.New(slog.NewJSONHandler(h.log, nil)), Limits: bounds, Now: time.Now,
	})
	ctx, cancel := context.WithCancel(context.Background())
	h.stop = cancel
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, l) }()
	t.Cleanup(func() {
		h.stop()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(timeout):
			t.Fatal("the server does not shut down")
		}
	})
	return h
}

// setKeys replaces the file and waits until the server has loaded it.
func (h *testServer) setKeys(lines ...string) {
	h.t.Helper()
	reloads := func() int { return strings.Count(h.log.String(), "keys reloaded") }
	before := reloads()
	writeKeys(h.t, h.keys, lines...)
	eventually(h.t, "the keys are not reloaded", func() bool { return reloads() > before })
}

func (h *testServer) addBen() {
	h.t.Helper()
	h.setKeys(line("", h.key, "ada@example"), line("", h.ben, "ben"))
}

func (h *testServer) dial(key ssh.Signer, auth ...ssh.AuthMethod) (*ssh.Client, error) {
	if key != nil {
		auth = append(auth, ssh.PublicKeys(key))
	}
	raw, err := h.dialRaw()
	if err != nil {
		return nil, err
	}
	c, channels, requests, err := ssh.NewClientConn(raw, "", &ssh.ClientConfig{
		User: "ada", Auth: auth, HostKeyCallback: ssh.FixedHostKey(h.host.PublicKey()),
	})
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return ssh.NewClient(c, channels, requests), nil
}

func (h *testServer) loginWith(key ssh.Signer) *ssh.Client {
	h.t.Helper()
	c, err := h.dial(key)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.Close() })
	return c
}

// login logs in with Ada's key.
func (h *testServer) login() *ssh.Client {
	h.t.Helper()
	return h.loginWith(h.key)
}

// run runs a command in a new session.
func (h *testServer) run(c *ssh.Client, command string) (status int, stdout, stderr string) {
	h.t.Helper()
	return sshdtest.Run(h.t, c, command, "")
}

// open opens a session channel, whose requests the test sends itself.
func (h *testServer) open(c *ssh.Client) ssh.Channel {
	h.t.Helper()
	channel, requests, err := c.OpenChannel("session", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	go ssh.DiscardRequests(requests)
	return channel
}

// lines reads the lines of a session.
type lines struct {
	t *testing.T
	r io.Reader
}

// start starts a command with an input that stays open, and returns its output. The command
// must print "ready" first.
func (h *testServer) start(c *ssh.Client) (*ssh.Session, io.Writer, *lines) {
	h.t.Helper()
	s, err := c.NewSession()
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = s.Close() })
	out, _ := s.StdoutPipe()
	in, _ := s.StdinPipe()
	if err := s.Start("wait"); err != nil {
		h.t.Fatal(err)
	}
	l := &lines{h.t, out}
	l.want("ready")
	return s, in, l
}

func (l *lines) next() string {
	var one [1]byte
	var text strings.Builder
	for {
		if _, err := io.ReadFull(l.r, one[:]); err != nil || one[0] == '\n' {
			return text.String()
		}
		text.WriteByte(one[0])
	}
}

func (l *lines) want(want string) {
	l.t.Helper()
	if got := l.next(); got != want {
		l.t.Errorf("the session prints %q, want %q", got, want)
	}
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

// logs waits until an entry of the log contains all parts.
func (h *testServer) logs(parts ...string) {
	h.t.Helper()
	eventually(h.t, fmt.Sprintf("no log entry with %q", parts), func() bool { return h.log.HasLine(parts...) })
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
