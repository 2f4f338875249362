package sshd

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"
)

// removeKey removes Ada's key from the file.
func (h *testServer) removeKey() { writeKeys(h.t, h.keys, line("", newKey(h.t), "ben")) }

func TestRemovedKeyEndsCommandThatReadsInput(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	h := startServer(t, nil, func(_ context.Context, s *Session) int {
		_, _ = io.WriteString(s.Out, "ready\n")
		_, err := io.ReadAll(s.In)
		ended <- err
		_, _ = io.WriteString(s.Out, "bye\n")
		return 1
	})
	_, lines := startSession(t, h.login())
	h.removeKey()
	if got := lines.next(); got != "bye" {
		t.Errorf("output is %q", got)
	}
	if err := <-ended; err != ErrRemoved {
		t.Errorf("the input ends with %v", err)
	}
	h.logs(`"session over"`, ErrRemoved.Error())
}

func TestRemovedKeyClosesConnectionOfHangingSession(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	h := startServer(t, nil, func(_ context.Context, s *Session) int {
		_, _ = io.WriteString(s.Out, "ready\n")
		<-release
		return 0
	})
	t.Cleanup(func() { close(release) })
	c := h.login()
	startSession(t, c)
	gone := make(chan error, 1)
	go func() { gone <- c.Wait() }()
	h.removeKey()
	select {
	case <-gone:
	case <-time.After(timeout):
		t.Error("the connection stays open")
	}
}

// stuckChannel is a channel whose Close blocks, because the client reads nothing.
type stuckChannel struct {
	ssh.Channel
	until <-chan struct{}
}

func (d stuckChannel) Close() error {
	<-d.until
	return nil
}

func TestUnusedSessionIsDroppedEvenIfCloseHangs(t *testing.T) {
	t.Parallel()
	h := startServer(t, func(l *Limits) { l.Grace = 10 * time.Millisecond }, echoCommand)
	near, far := net.Pipe()
	defer far.Close()
	ada, _ := h.o.Keys.Find(ssh.FingerprintSHA256(h.key.PublicKey()), time.Now())
	c := &conn{server: h.Server, raw: &loginConn{Conn: near}, person: ada, sessions: make(map[*session]bool)}
	requests := make(chan *ssh.Request)
	defer close(requests)
	s := newSession(c, stuckChannel{until: t.Context().Done()}, nil)
	if !c.add(s) {
		t.Fatal("the session is not added")
	}
	go s.run(requests)
	gone := make(chan error, 1)
	go func() {
		_, err := far.Read(make([]byte, 1))
		gone <- err
	}()
	eventually(t, "the connection stays open", func() bool {
		c.check()
		return len(gone) > 0
	})
}

func TestClientThatReadsNoRepliesIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		e := &loginConn{Conn: near, gate: newTestGate(Limits{Stall: time.Minute})}
		e.done.Store(true)
		began := time.Now()
		if _, err := e.Write([]byte("reply")); err == nil || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if _, err := far.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the connection is not closed: %v", err)
		}
	})
}

func TestFailedLoginLogsOfferedKey(t *testing.T) {
	t.Parallel()
	h := startServer(t, nil, echoCommand)
	raw, err := net.Dial("tcp", h.address)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	_, _, _, err = ssh.NewClientConn(raw, h.address, &ssh.ClientConfig{
		User: "ada", HostKeyCallback: ssh.FixedHostKey(h.host.PublicKey()), Auth: []ssh.AuthMethod{ssh.PublicKeys(forger{h.key})},
	})
	if err == nil {
		t.Fatal("login with a forged signature succeeds")
	}
	h.logs(`"login refused"`, ssh.FingerprintSHA256(h.key.PublicKey()))
}

// forger makes signatures that do not verify.
type forger struct{ ssh.Signer }

func (f forger) Sign(random io.Reader, data []byte) (*ssh.Signature, error) {
	return f.Signer.Sign(random, append(data, '!'))
}
