package sshd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

func TestCommandReturnsBothStreamsAndExitStatus(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, echoCommand)
	status, stdout, stderr := h.run(h.login(), "market -o csv")
	if status != 7 || stdout != "ada@example runs \"market -o csv\"\n" || stderr != "stderr\n" {
		t.Errorf("%d, %q, %q", status, stdout, stderr)
	}
	fingerprint := ssh.FingerprintSHA256(h.key.PublicKey())
	h.logs(`"login"`, fingerprint, "ada@example", "127.0.0.1:")
	h.logs(`"session"`, fingerprint, "market -o csv")
	h.logs(`"session over"`, fingerprint, `"status":7`)
}

func TestLoginAcceptsOnlyKeysInFile(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, echoCommand)
	stranger := newKey(t)
	if _, err := h.dial(stranger); err == nil {
		t.Error("login with an unknown key succeeds")
	}
	h.logs(`"login refused"`, ssh.FingerprintSHA256(stranger.PublicKey()), "127.0.0.1:")
	if _, err := h.dial(nil, ssh.Password("secret")); err == nil {
		t.Error("login with a password succeeds")
	}
	interactive := ssh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return []string{"secret"}, nil })
	if _, err := h.dial(nil, interactive); err == nil {
		t.Error("keyboard-interactive login succeeds")
	}
	if strings.Contains(h.log.String(), "secret") {
		t.Error("the log contains a password")
	}
}

func TestLoginRejectsCertificateOfKnownKey(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, echoCommand)
	certificate := &ssh.Certificate{Key: h.key.PublicKey(), CertType: ssh.UserCert, ValidBefore: ssh.CertTimeInfinity, ValidPrincipals: []string{"ada"}}
	if err := certificate.SignCert(strings.NewReader(strings.Repeat("x", 1024)), newKey(t)); err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewCertSigner(certificate, h.key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.dial(signer); err == nil {
		t.Error("login with a certificate succeeds")
	}
}

func TestServerRefusesAllButSessions(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, wait)
	c := h.login()
	for _, kind := range []string{"direct-tcpip", "direct-streamlocal@openssh.com", "forwarded-tcpip", "x11", "auth-agent@openssh.com", "tun@openssh.com", "shell"} {
		_, _, err := c.OpenChannel(kind, []byte("\x00\x00\x00\x09localhost\x00\x00\x00\x16\x00\x00\x00\x09localhost\x00\x00\x00\x16"))
		var refused *ssh.OpenChannelError
		if !errors.As(err, &refused) || refused.Reason != ssh.Prohibited {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for _, kind := range []string{"tcpip-forward", "streamlocal-forward@openssh.com", "cancel-tcpip-forward", "no-more-sessions@openssh.com"} {
		if ok, _, err := c.SendRequest(kind, true, nil); ok || err != nil {
			t.Errorf("%s: %v, %v", kind, ok, err)
		}
	}
	channel, requests, err := c.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer channel.Close()
	go ssh.DiscardRequests(requests)
	command := func(text string) []byte { return ssh.Marshal(struct{ Text string }{text}) }
	variable := func(name, value string) []byte { return ssh.Marshal(struct{ Name, Value string }{name, value}) }
	for _, r := range []struct {
		kind    string
		payload []byte
	}{
		{"subsystem", command("sftp")},
		{"auth-agent-req@openssh.com", nil},
		{"x11-req", make([]byte, 64)},
		{"env", variable("LD_PRELOAD", "/tmp/x.so")},
		{"env", variable("TONNE_API_KEY", "key")},
		{"env", variable("LANG", "en\x1b[2J")},
		{"env", []byte("garbage")},
		{"window-change", make([]byte, 16)}, // without a terminal
		{"pty-req", []byte("garbage")},
		{"exec", []byte("garbage")},
		{"exec", command("")},
		{"break", nil},
		{"signal", command("KILL")},
	} {
		if ok, err := channel.SendRequest(r.kind, true, r.payload); ok || err != nil {
			t.Errorf("%s: %v, %v", r.kind, ok, err)
		}
	}
	if ok, err := channel.SendRequest("exec", true, command("market")); !ok || err != nil {
		t.Errorf("first command: %v, %v", ok, err)
	}
	if ok, err := channel.SendRequest("exec", true, command("market")); ok || err != nil {
		t.Errorf("second command: %v, %v", ok, err)
	}
	h.logs(`"refused"`, `"channel":"direct-tcpip"`, "ada@example")
	h.logs(`"refused"`, `"request":"subsystem"`)
	h.logs(`"refused"`, `"request":"tcpip-forward"`)
	if strings.Contains(h.log.String(), "no-more-sessions") {
		t.Error("a routine request is logged as refused")
	}
}

// reportSize prints the terminal of the session whenever it is resized.
func reportSize(ctx context.Context, s *Session) int {
	for {
		width, height := s.Terminal.Size()
		_, _ = fmt.Fprintf(s.Out, "%s %dx%d %v\n", s.Terminal.Type, width, height, s.Environ)
		select {
		case <-ctx.Done():
			return 0
		case <-s.Terminal.Resized():
		}
	}
}

// lineReader reads lines of a session.
type lineReader struct {
	t *testing.T
	r io.Reader
}

func (l *lineReader) next() string {
	l.t.Helper()
	got := make(chan string, 1)
	go func() {
		var one [1]byte
		var text strings.Builder
		for {
			if _, err := io.ReadFull(l.r, one[:]); err != nil || one[0] == '\n' {
				got <- text.String()
				return
			}
			text.WriteByte(one[0])
		}
	}()
	select {
	case text := <-got:
		return text
	case <-time.After(timeout):
		l.t.Fatal("no line within the timeout")
		return ""
	}
}

func TestTerminalFollowsClientSize(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, reportSize)
	s, err := h.login().NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_ = s.Setenv("COLORTERM", "truecolor")
	_ = s.Setenv("PATH", "/tmp")
	if err := s.RequestPty("xterm-256color", 40, 100, ssh.TerminalModes{ssh.ECHO: 0}); err != nil {
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	lines := &lineReader{t: t, r: out}
	wantSize := func(want string) {
		t.Helper()
		if got := lines.next(); got != "xterm-256color "+want+" [COLORTERM=truecolor TERM=xterm-256color]\r" {
			t.Errorf("output is %q, want size %s", got, want)
		}
	}
	wantSize("100x40")
	h.logs(`"refused"`, `"request":"env"`, `"variable":"PATH"`)
	h.logs(`"listening"`, h.address)
	if strings.Contains(h.log.String(), "/tmp\"") {
		t.Error("the value of the variable is logged")
	}
	for _, c := range []struct {
		height, width int
		want          string
	}{{1, 1, "1x1"}, {200, 500, "500x200"}, {1 << 30, 1 << 30, "500x200"}, {0, 0, "80x24"}} {
		if err := s.WindowChange(c.height, c.width); err != nil {
			t.Fatal(err)
		}
		wantSize(c.want)
	}
}

// startSession starts a command that waits, and returns a reader of its output.
func startSession(t *testing.T, c *ssh.Client) (*ssh.Session, *lineReader) {
	t.Helper()
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	out, err := s.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.Start("wait"); err != nil {
		t.Fatal(err)
	}
	lines := &lineReader{t: t, r: out}
	if got := lines.next(); got != "ready" {
		t.Fatalf("output is %q", got)
	}
	return s, lines
}

func TestRemovedKeyEndsItsSessions(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, wait)
	ben := newKey(t)
	writeKeys(t, h.keys, line("", h.key, "ada"), line("", ben, "ben"))
	h.waitForKey(ben)
	first, firstLines := startSession(t, h.login())
	c, err := h.dial(ben)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	second, secondLines := startSession(t, c)
	writeKeys(t, h.keys, line("", ben, "ben"))
	if got := firstLines.next(); got != ErrRemoved.Error() {
		t.Errorf("Ada's session ends with %q", got)
	}
	if err := first.Wait(); err == nil {
		t.Error("Ada's session ends without an error")
	}
	if _, err := h.dial(h.key); err == nil {
		t.Error("login with Ada's removed key succeeds")
	}
	writeKeys(t, h.keys, line("read-only", ben, "ben"))
	if got := secondLines.next(); got != ErrRemoved.Error() {
		t.Errorf("after a change of options, Ben's session ends with %q", got)
	}
	_ = second.Wait()
}

// OpenSSH's client exits with 255 if the server closes the connection first.
func TestConnectionStaysOpenBrieflyAfterSessionEnds(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, wait)
	c := h.login()
	session, lines := startSession(t, c)
	h.removeKey()
	lines.next()
	_ = session.Wait()
	if _, _, err := c.SendRequest("keepalive@openssh.com", true, nil); err != nil {
		t.Errorf("request after the session: %v", err)
	}
	eventually(t, "the connection stays open", func() bool {
		_, _, err := c.SendRequest("keepalive@openssh.com", true, nil)
		return err != nil
	})
}

func TestExpiredKeyEndsItsSessions(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, wait)
	ben := newKey(t)
	soon := time.Now().Add(2 * time.Second).UTC().Format("20060102150405")
	writeKeys(t, h.keys, line(`expiry-time="`+soon+`Z"`, ben, "ben"))
	h.waitForKey(ben)
	c, err := h.dial(ben)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, lines := startSession(t, c)
	if got := lines.next(); got != ErrExpired.Error() {
		t.Errorf("Ben's session ends with %q", got)
	}
	if _, err := h.dial(ben); err == nil {
		t.Error("login with an expired key succeeds")
	}
	h.logs(`"login refused"`, `"expired":"ben, the key has expired on `)
}

func TestExpiredLineIsLoggedOnReload(t *testing.T) {
	t.Parallel()
	h := startServerWithOptions(t, `expiry-time="20200101Z"`, nil, wait)
	h.logs(`"line ignored"`, "authorized_keys, line 1: the key has expired on 2020-01-01")
	writeKeys(t, h.keys, "# people\n", line(`expiry-time="20210101Z"`, h.key, "ada"))
	h.logs(`"line ignored"`, "authorized_keys, line 2: the key has expired on 2021-01-01")
}

func TestShutdownNotifiesAllSessions(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, wait)
	_, ada := startSession(t, h.login())
	_, again := startSession(t, h.login())
	h.stop()
	for _, lines := range []*lineReader{ada, again} {
		if got := lines.next(); got != ErrClosing.Error() {
			t.Errorf("the session ends with %q", got)
		}
	}
}

func TestShutdownCutsOffHangingSession(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	h := startServer(t, nil, func(_ context.Context, s *Session) int {
		_, _ = io.WriteString(s.Out, "ready\n")
		_, _ = io.ReadAll(s.In)
		close(release)
		return 0
	})
	s, _ := startSession(t, h.login())
	h.stop()
	_ = s.Wait()
	<-release
}

func TestIdleSessionIsWarnedThenEnded(t *testing.T) {
	t.Parallel()
	warned := make(chan Warning, 10)
	h := startServer(t, func(l *Limits) { l.Idle, l.Warn = 400*time.Millisecond, 200*time.Millisecond }, func(ctx context.Context, s *Session) int {
		_, _ = io.WriteString(s.Out, "ready\n")
		go io.Copy(io.Discard, s.In)
		for {
			select {
			case w := <-s.Warnings:
				warned <- w
			case <-ctx.Done():
				_, _ = fmt.Fprintln(s.Out, context.Cause(ctx))
				return 1
			}
		}
	})
	s, err := h.login().NewSession()
	if err != nil {
		t.Fatal(err)
	}
	in, _ := s.StdinPipe()
	out, _ := s.StdoutPipe()
	if err := s.Start("wait"); err != nil {
		t.Fatal(err)
	}
	lines := &lineReader{t: t, r: out}
	lines.next()
	first := <-warned
	if !first.Valid() {
		t.Error("the warning is invalid before a keypress")
	}
	if _, err := in.Write([]byte("j")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the warning is still valid after a keypress", func() bool { return !first.Valid() })
	<-warned
	if got := lines.next(); got != ErrIdle.Error() {
		t.Errorf("the session ends with %q", got)
	}
}

func TestSessionLimitsPerKeyAndServer(t *testing.T) {
	t.Parallel()
	h := startServer(t, func(l *Limits) { l.Sessions, l.SessionsPerKey = 3, 2 }, wait)
	ben := newKey(t)
	writeKeys(t, h.keys, line("", h.key, "ada"), line("", ben, "ben"))
	h.waitForKey(ben)
	refused := func(c *ssh.Client, why string) {
		t.Helper()
		_, err := c.NewSession()
		var refused *ssh.OpenChannelError
		if !errors.As(err, &refused) || refused.Reason != ssh.ResourceShortage || refused.Message != why {
			t.Errorf("session above the limit: %v", err)
		}
		h.logs(`"refused"`, why)
	}
	first, _ := startSession(t, h.login())
	startSession(t, h.login())
	refused(h.login(), "your key already has 2 sessions")
	c, err := h.dial(ben)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	startSession(t, c)
	refused(c, "the server is full: 3 sessions")
	_ = first.Close()
	eventually(t, "a closed session is still counted", func() bool {
		release, _, full := h.sessions.acquire("ben")
		if full == nil {
			release()
		}
		return full == nil
	})
}

func TestRejectedSessionsDoNotFloodLog(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	h := startServer(t, func(l *Limits) { l.SessionsPerKey = 2 }, func(ctx context.Context, s *Session) int {
		served.Add(1)
		return wait(ctx, s)
	})
	c := h.login()
	for range 2 {
		startSession(t, c)
	}
	for range 500 {
		_, err := c.NewSession()
		var refused *ssh.OpenChannelError
		if !errors.As(err, &refused) || refused.Reason != ssh.ResourceShortage || refused.Message != "your key already has 2 sessions" {
			t.Fatalf("session above the limit: %v", err)
		}
	}
	if n := served.Load(); n != 2 {
		t.Errorf("%d sessions served, want 2", n)
	}
	if n := strings.Count(h.log.String(), `"msg":"refused"`); n > 100 {
		t.Errorf("%d refusals in the log, want at most 100", n)
	}
}

func TestRefusalReasonFitsOneClientLine(t *testing.T) {
	t.Parallel()
	l := DefaultLimits()
	busy := &quota{limits: l, all: l.Sessions, keys: make(map[string]*keyQuota)}
	one := &quota{limits: l, keys: map[string]*keyQuota{"ada": {sessions: l.SessionsPerKey}}}
	_, _, full := busy.acquire("ada")
	_, _, many := one.acquire("ada")
	var forwarding *ssh.OpenChannelError
	if _, _, err := startServer(t, nil, wait).login().OpenChannel("direct-tcpip", nil); !errors.As(err, &forwarding) {
		t.Fatal(err)
	}
	for _, shown := range []string{
		"resource shortage: " + full.Error(), "resource shortage: " + many.Error(), "administratively prohibited: " + forwarding.Message,
	} {
		if shown = "channel 10: open failed: " + shown; len(shown) > 80 {
			t.Errorf("%q has %d characters", shown, len(shown))
		}
	}
	if !strings.Contains(full.Error(), "200") || !strings.Contains(many.Error(), "10") {
		t.Errorf("a message does not name its limit: %v, %v", full, many)
	}
}

func TestUnusedConnectionIsClosed(t *testing.T) {
	t.Parallel()
	h := startServer(t, func(l *Limits) { l.Grace = 300 * time.Millisecond }, wait)
	if err := h.login().Wait(); err == nil {
		t.Error("the connection ends without an error")
	}
	c := h.login()
	channel, requests, err := c.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	go ssh.DiscardRequests(requests)
	if _, err := channel.Read(make([]byte, 1)); err == nil {
		t.Error("a session without a request stays open")
	}
	silent, err := net.Dial("tcp", h.address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	_ = silent.SetDeadline(time.Now().Add(timeout))
	if _, err := io.ReadAll(silent); err != nil {
		t.Errorf("a silent connection stays open: %v", err)
	}
}

func TestStalledSessionIsCutOff(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	h := startServer(t, func(l *Limits) { l.Stall = 300 * time.Millisecond }, func(ctx context.Context, s *Session) int {
		for {
			if _, err := s.Out.Write(make([]byte, 1<<16)); err != nil {
				ended <- err
				return 1
			}
		}
	})
	channel, requests, err := h.login().OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	go ssh.DiscardRequests(requests)
	if _, err := channel.SendRequest("exec", true, ssh.Marshal(struct{ Text string }{"x"})); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the connection ends without an error")
		}
	case <-time.After(timeout):
		t.Fatal("the session continues")
	}
	h.logs(`"session over"`, ErrStalled.Error())
}

func TestInputFloodEndsSession(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	h := startServer(t, func(l *Limits) { l.Input, l.InputPerSecond = 1<<20, 1 }, func(ctx context.Context, s *Session) int {
		_, err := io.Copy(io.Discard, s.In)
		ended <- err
		return 0
	})
	c := h.login()
	send := func(n int) error {
		s, err := c.NewSession()
		if err != nil {
			return err
		}
		defer s.Close()
		if err := s.RequestPty("xterm", 24, 80, nil); err != nil {
			return err
		}
		s.Stdin = bytes.NewReader(make([]byte, n))
		if err := s.Shell(); err != nil {
			return err
		}
		return <-ended
	}
	if err := send(1 << 19); err != nil {
		t.Errorf("half a megabyte: %v", err)
	}
	if err := send(1<<20 + 1); !errors.Is(err, ErrFlooded) {
		t.Errorf("more than a megabyte: %v", err)
	}
}

func TestPanicEndsOnlyItsSession(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, func(_ context.Context, s *Session) int {
		if s.Command == "panic" {
			panic("a bug")
		}
		return 0
	})
	c := h.login()
	if status, _, _ := h.run(c, "panic"); status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
	if status, _, _ := h.run(c, "market"); status != 0 {
		t.Errorf("next command: exit status %d, want 0", status)
	}
	h.logs(`"panic"`, "a bug")
}

// invalidHello returns data from a client that does not speak SSH, or only in part.
func invalidHello(random *rand.Rand) []byte {
	noise := make([]byte, random.IntN(400))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	switch random.IntN(5) {
	case 0:
		return nil
	case 1:
		return noise
	case 2:
		return []byte("GET / HTTP/1.1\r\nHost: desk\r\n\r\n")
	case 3:
		return append([]byte("SSH-2.0-x\r\n"), noise...)
	}
	// A packet with a wrong length.
	return append([]byte("SSH-2.0-x\r\n\x00\x00\xff\xff\x04\x14"), noise...)
}

// Not parallel, because it counts resources of the whole process.
func TestInvalidConnectionsLeakNothing(t *testing.T) {
	h := startServer(t, func(l *Limits) { l.Handshakes, l.HandshakesPerAddress = 64, 64 }, echoCommand)
	c := h.login()
	h.run(c, "market")
	goroutines, files, heap := runtime.NumGoroutine(), openFiles(t), liveHeap()
	const clients, connections = 4, 2500
	done := make(chan error, clients)
	for n := range clients {
		go func() {
			random := rand.New(rand.NewPCG(uint64(n), 18))
			for range connections {
				raw, err := net.Dial("tcp", h.address)
				if err != nil {
					done <- err
					return
				}
				_, _ = raw.Write(invalidHello(random))
				// A reset avoids ports in TIME_WAIT.
				_ = raw.(*net.TCPConn).SetLinger(0)
				_ = raw.Close()
			}
			done <- nil
		}()
	}
	for range clients {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if status, _, _ := h.run(c, "market"); status != 7 {
		t.Errorf("existing connection: exit status %d, want 7", status)
	}
	eventually(t, "logins or rate limits remain", func() bool {
		h.gate.mu.Lock()
		defer h.gate.mu.Unlock()
		return len(h.gate.waiting) == 0 && len(h.gate.rates) <= 1
	})
	h.login()
	eventually(t, "goroutines leak", func() bool { return runtime.NumGoroutine() <= goroutines+20 })
	eventually(t, "file descriptors leak", func() bool { return openFiles(t) <= files+20 })
	if after := liveHeap(); after > heap+8<<20 {
		t.Errorf("heap: %d bytes before, %d after", heap, after)
	}
	if size := len(h.log.String()); size > 64<<10 {
		t.Errorf("the log has %d bytes", size)
	}
}

// openFiles returns the number of open descriptors of the process, or 0 if there is no
// /proc.
func openFiles(t testing.TB) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return len(files)
}

// liveHeap returns the size of the live heap in bytes.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
