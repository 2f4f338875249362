package sshd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/cli/sshd/sshdtest"

	"golang.org/x/crypto/ssh"
)

func TestCommandReturnsBothStreamsAndExitStatus(t *testing.T) {
	bubble(t, nil, echoCommand, func(t *testing.T, h *testServer) {
		c := h.login()
		status, stdout, stderr := h.run(c, "market -o csv")
		must.Hold(t, status == 7 && stdout == "ada@example runs \"market -o csv\"\n" && stderr == "stderr\n",
			status, stdout, stderr)
		fingerprint := ssh.FingerprintSHA256(h.key.PublicKey())
		h.logs(`"listening"`, "127.0.0.1:2222")
		h.logs(`"login"`, fingerprint, "ada@example", "127.0.0.1:")
		h.logs(`"session"`, fingerprint, "market -o csv")
		h.logs(`"session over"`, fingerprint, `"status":7`)
		h.run(c, "market\u009b31m\u202e\u2066 x")
		h.logs(`"session"`, `"command":"market31m x"`)
	})
}

// forger makes signatures that do not verify.
type forger struct{ ssh.Signer }

func (f forger) Sign(random io.Reader, data []byte) (*ssh.Signature, error) {
	return f.Signer.Sign(random, append(data, '!'))
}

func TestLoginAcceptsOnlyKeysInFile(t *testing.T) {
	bubble(t, nil, echoCommand, func(t *testing.T, h *testServer) {
		certificate := &ssh.Certificate{Key: h.key.PublicKey(), CertType: ssh.UserCert, ValidBefore: ssh.CertTimeInfinity,
			ValidPrincipals: []string{"ada"}}
		must.Succeed(t, certificate.SignCert(strings.NewReader(strings.Repeat("x", 1024)), newKey(t)))
		certified, stranger := must.Get(ssh.NewCertSigner(certificate, h.key)), newKey(t)
		interactive := ssh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) {
			return []string{"secret"}, nil
		})
		for name, auth := range map[string]ssh.AuthMethod{
			"an unknown key":       ssh.PublicKeys(stranger),
			"a password":           ssh.Password("secret"),
			"keyboard-interactive": interactive,
			"a certificate":        ssh.PublicKeys(certified),
			"a forged signature":   ssh.PublicKeys(forger{h.key}),
		} {
			must.Hold(t, must.Err(h.dial(auth)) != nil, "login with", name, "succeeds")
		}
		for _, key := range []ssh.Signer{stranger, h.key} {
			h.logs(`"login refused"`, ssh.FingerprintSHA256(key.PublicKey()), "127.0.0.1:")
		}
		must.Hold(t, !strings.Contains(h.log.String(), "secret"), "the log contains a password")
	})
}

func TestServerRefusesAllButSessions(t *testing.T) {
	bubble(t, nil, wait, func(t *testing.T, h *testServer) {
		c := h.login()
		for _, kind := range []string{"direct-tcpip", "direct-streamlocal@openssh.com", "forwarded-tcpip", "x11",
			"auth-agent@openssh.com", "tun@openssh.com", "shell"} {
			_, _, err := c.OpenChannel(kind,
				[]byte("\x00\x00\x00\x09localhost\x00\x00\x00\x16\x00\x00\x00\x09localhost\x00\x00\x00\x16"))
			refused, ok := errors.AsType[*ssh.OpenChannelError](err)
			must.Hold(t, ok && refused.Reason == ssh.Prohibited && fitsLine("administratively prohibited", refused.Message),
				kind, err)
		}
		for _, kind := range []string{"tcpip-forward", "streamlocal-forward@openssh.com", "cancel-tcpip-forward",
			"no-more-sessions@openssh.com"} {
			ok, _, err := c.SendRequest(kind, true, nil)
			must.Hold(t, !ok && err == nil, kind, ok, err)
		}
		channel := h.open(c)
		defer channel.Close()
		command := func(text string) []byte { return ssh.Marshal(struct{ Text string }{text}) }
		variable := func(name, value string) []byte { return ssh.Marshal(struct{ Name, Value string }{name, value}) }
		for _, r := range []struct {
			kind    string
			payload []byte
			granted bool
		}{
			{"subsystem", command("sftp"), false},
			{"auth-agent-req@openssh.com", nil, false},
			{"x11-req", make([]byte, 64), false},
			{"env", variable("LD_PRELOAD", "/tmp/x.so"), false},
			{"env", variable("TONNE_API_KEY", "key"), false},
			{"env", variable("LANG", "en\x1b[2J"), false},
			{"env", []byte("garbage"), false},
			{"window-change", make([]byte, 16), false}, // without a terminal
			{"pty-req", []byte("garbage"), false},
			{"exec", []byte("garbage"), false},
			{"exec", command(""), false},
			{"break", nil, false},
			{"signal", command("KILL"), false},
			{"exec", command("market"), true},
			{"exec", command("market"), false}, // a second command
		} {
			ok, err := channel.SendRequest(r.kind, true, r.payload)
			must.Hold(t, ok == r.granted && err == nil, r.kind, ok, err)
		}
		second, granted := h.open(c), 0
		for range 50 {
			if ok, err := second.SendRequest("env", true, variable("LANG", "en_GB.UTF-8")); err != nil {
				t.Fatal(err)
			} else if ok {
				granted++
			}
		}
		must.Hold(t, granted <= len(variables)+1, granted, "variables are accepted")
		h.logs(`"refused"`, `"channel":"direct-tcpip"`, "ada@example")
		h.logs(`"refused"`, `"request":"subsystem"`)
		h.logs(`"refused"`, `"request":"tcpip-forward"`)
		for _, hidden := range []string{"no-more-sessions", "/tmp/x.so"} {
			must.Hold(t, !strings.Contains(h.log.String(), hidden), "the log contains", hidden)
		}
	})
}

// fitsLine reports whether OpenSSH's client shows a refusal of a channel on one line.
func fitsLine(reason, message string) bool {
	return len("channel 10: open failed: "+reason+": "+message) <= 80
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

func TestTerminalFollowsClientSize(t *testing.T) {
	bubble(t, nil, reportSize, func(t *testing.T, h *testServer) {
		s := must.Get(h.login().NewSession())
		defer s.Close()
		_ = s.Setenv("COLORTERM", "truecolor")
		_ = s.Setenv("PATH", "/tmp")
		out, _ := s.StdoutPipe()
		must.Succeed(t, s.RequestPty("xterm-256color", 40, 100, ssh.TerminalModes{ssh.ECHO: 0}), s.Shell())
		l := &lines{t, bufio.NewReader(out)}
		want := func(size string) {
			t.Helper()
			l.want("xterm-256color " + size + " [COLORTERM=truecolor TERM=xterm-256color]\r")
		}
		want("100x40")
		h.logs(`"refused"`, `"request":"env"`, `"variable":"PATH"`)
		for _, c := range []struct {
			height, width int
			want          string
		}{{1, 1, "1x1"}, {200, 500, "500x200"}, {1 << 30, 1 << 30, "500x200"}, {0, 0, "80x24"}} {
			must.Succeed(t, s.WindowChange(c.height, c.width))
			want(c.want)
		}
	})
}

func TestPanicEndsOnlyItsSession(t *testing.T) {
	fails := func(_ context.Context, s *Session) int {
		if s.Command == "panic" {
			panic("a bug")
		}
		return 0
	}
	bubble(t, nil, fails, func(t *testing.T, h *testServer) {
		c := h.login()
		for _, command := range []struct {
			name string
			want int
		}{{"panic", 1}, {"market", 0}} {
			status, _, _ := h.run(c, command.name)
			must.Equal(t, status, command.want, command.name, "exit status")
		}
		h.logs(`"panic"`, "a bug")
	})
}

// flood writes until the client is gone.
func flood(_ context.Context, s *Session) int {
	for {
		if _, err := io.WriteString(s.Out, strings.Repeat("frame", 1000)); err != nil {
			return 0
		}
	}
}

func TestSessionThatWritesToALostConnectionDidNotLeave(t *testing.T) {
	t.Parallel()
	const sessions = 20
	h, _ := onTCP(t, nil, flood)
	for range sessions {
		c := h.login()
		s := must.Get(c.NewSession())
		must.Succeed(t, s.RequestPty("xterm", 24, 80, nil), s.Shell(), c.Close())
	}
	sshdtest.Eventually(t, "sessions run on", func() bool {
		return strings.Count(h.log.String(), `"session over"`) == sessions
	})
	must.Equal(t, strings.Count(h.log.String(), ErrDisconnected.Error()), sessions, "lost connections in the log")
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
	h, address := onTCP(t,
		func(l *Limits) { l.Handshakes, l.HandshakesPerAddress, l.PerSecond, l.Burst = 64, 64, 1e6, 1e6 }, echoCommand)
	c := h.login()
	h.run(c, "market")
	goroutines, files, heap := runtime.NumGoroutine(), openFiles(), liveHeap()
	const clients, connections = 4, 1000
	done := make(chan error, clients)
	for n := range clients {
		go func() {
			random := rand.New(rand.NewPCG(uint64(n), 18))
			for range connections {
				raw, err := net.Dial("tcp", address)
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
		must.Succeed(t, <-done)
	}
	status, _, _ := h.run(c, "market")
	must.Equal(t, status, 7, "existing connection: exit status")
	sshdtest.Eventually(t, "logins or rate limits remain", func() bool {
		h.gate.mu.Lock()
		defer h.gate.mu.Unlock()
		return len(h.gate.waiting) == 0 && len(h.gate.rates) <= 1
	})
	h.login()
	sshdtest.Eventually(t, "goroutines leak", func() bool { return runtime.NumGoroutine() <= goroutines+20 })
	sshdtest.Eventually(t, "file descriptors leak", func() bool { return openFiles() <= files+20 })
	after := liveHeap()
	must.Hold(t, after <= heap+8<<20, "heap", heap, "bytes before", after, "after")
	size := len(h.log.String())
	must.Hold(t, size <= 64<<10, "the log has", size, "bytes")
}

// openFiles returns the number of open descriptors of the process, or 0 if there is no /proc.
func openFiles() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
