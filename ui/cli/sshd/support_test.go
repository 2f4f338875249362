package sshd

import (
	"bufio"
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

	must "tonne/model/musttest"
	"tonne/ui/cli/sshd/sshdtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newKey(t testing.TB) ssh.Signer {
	t.Helper()
	return must.Get(ssh.NewSignerFromKey(sshdtest.Key(t)))
}

var line = sshdtest.Line

func writeKeys(t testing.TB, path string, lines ...string) {
	t.Helper()
	must.Succeed(t, os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600))
}

type handler = func(context.Context, *Session) int

// testServer is a server that admits the keys of Ada and Ben.
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
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	address = l.Addr().String()
	return startServer(t, l, func() (net.Conn, error) { return net.Dial("tcp", address) }, limits, serve), address
}

func startServer(t *testing.T, l net.Listener, dial func() (net.Conn, error), limits func(*Limits),
	serve handler) *testServer {
	t.Helper()
	h := &testServer{t: t, keys: filepath.Join(t.TempDir(), "authorized_keys"), key: newKey(t), ben: newKey(t),
		host: newKey(t), log: new(sshdtest.Buffer), dialRaw: dial}
	writeKeys(t, h.keys, line("", h.key, "ada@example"), line("", h.ben, "ben"))
	bounds := DefaultLimits()
	if limits != nil {
		limits(&bounds)
	}
	h.Server = New(Options{
		Keys: must.Get(OpenKeys(h.keys)), HostKey: h.host, Serve: serve, Check: func(Person) error { return nil },
		Log: slog.New(slog.NewJSONHandler(h.log, nil)), Limits: bounds, Now: time.Now,
	})
	ctx, cancel := context.WithCancel(context.Background())
	h.stop = cancel
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, l) }()
	t.Cleanup(func() {
		h.stop()
		must.Fail(t, <-ended, nil)
	})
	return h
}

// setKeys replaces the file and waits until the server has loaded it.
func (h *testServer) setKeys(lines ...string) {
	h.t.Helper()
	reloads := func() int { return strings.Count(h.log.String(), "keys reloaded") }
	before := reloads()
	writeKeys(h.t, h.keys, lines...)
	sshdtest.Eventually(h.t, "the keys are not reloaded", func() bool { return reloads() > before })
}

func (h *testServer) dial(auth ssh.AuthMethod) (*ssh.Client, error) {
	raw := must.Get(h.dialRaw())
	c, channels, requests, err := ssh.NewClientConn(raw, "", &ssh.ClientConfig{
		User: "ada", Auth: []ssh.AuthMethod{auth}, HostKeyCallback: ssh.FixedHostKey(h.host.PublicKey()),
	})
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return ssh.NewClient(c, channels, requests), nil
}

func (h *testServer) loginWith(key ssh.Signer) *ssh.Client {
	h.t.Helper()
	c, err := h.dial(ssh.PublicKeys(key))
	must.Succeed(h.t, err)
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
	must.Succeed(h.t, err)
	go ssh.DiscardRequests(requests)
	return channel
}

// lines reads the lines of a session.
type lines struct {
	t *testing.T
	r *bufio.Reader
}

// start starts a command with an input that stays open, and returns its output. The command
// must print "ready" first.
func (h *testServer) start(c *ssh.Client) (*ssh.Session, io.Writer, *lines) {
	h.t.Helper()
	s, err := c.NewSession()
	must.Succeed(h.t, err)
	h.t.Cleanup(func() { _ = s.Close() })
	out, in := must.Get(s.StdoutPipe()), must.Get(s.StdinPipe())
	must.Succeed(h.t, s.Start("wait"))
	l := &lines{h.t, bufio.NewReader(out)}
	l.want("ready")
	return s, in, l
}

func (l *lines) want(want string) {
	l.t.Helper()
	got, _ := l.r.ReadString('\n')
	must.Equal(l.t, strings.TrimSuffix(got, "\n"), want, "the session prints", got)
}

// logs waits until an entry of the log contains all parts.
func (h *testServer) logs(parts ...string) {
	h.t.Helper()
	h.log.Await(h.t, parts...)
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
