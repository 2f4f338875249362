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

// taken takes Ada's key out of the file.
func (h *house) taken() { writeKeys(h.t, h.keys, line("", newKey(h.t), "somebody")) }

func TestACommandThatReadsWithoutAnEndEndsWithItsKey(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	h := build(t, nil, func(_ context.Context, s *Session) int {
		_, _ = io.WriteString(s.Out, "ready\n")
		_, err := io.ReadAll(s.In)
		ended <- err
		_, _ = io.WriteString(s.Out, "bye\n")
		return 1
	})
	_, lines := begin(t, h.login())
	h.taken()
	if got := lines.next(); got != "bye" {
		t.Errorf("it says %q", got)
	}
	if err := <-ended; err != ErrRemoved {
		t.Errorf("its input ends with %v", err)
	}
	h.logs(`"session over"`, ErrRemoved.Error())
}

func TestAConnectionDoesNotOutliveItsKeyWhateverItsSessionsDo(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	h := build(t, nil, func(_ context.Context, s *Session) int {
		_, _ = io.WriteString(s.Out, "ready\n")
		<-release
		return 0
	})
	t.Cleanup(func() { close(release) })
	c := h.login()
	begin(t, c)
	gone := make(chan error, 1)
	go func() { gone <- c.Wait() }()
	h.taken()
	select {
	case <-gone:
	case <-time.After(longest):
		t.Error("it does")
	}
}

// deaf is a channel whose other end takes nothing, not even that it is closed.
type deaf struct {
	ssh.Channel
	until <-chan struct{}
}

func (d deaf) Close() error {
	<-d.until
	return nil
}

func TestAChannelInWhichNothingIsAskedForHoldsNoPlace(t *testing.T) {
	t.Parallel()
	h := build(t, func(l *Limits) { l.Grace = 10 * time.Millisecond }, greet)
	near, far := net.Pipe()
	defer far.Close()
	ada, _ := h.o.Keys.Find(ssh.FingerprintSHA256(h.key.PublicKey()), time.Now())
	c := &conn{server: h.Server, raw: &entrant{Conn: near}, person: ada, sessions: make(map[*session]bool)}
	requests := make(chan *ssh.Request)
	defer close(requests)
	s := newSession(c, deaf{until: t.Context().Done()}, nil)
	if !c.add(s) {
		t.Fatal("no session begins")
	}
	go s.run(requests)
	gone := make(chan error, 1)
	go func() {
		_, err := far.Read(make([]byte, 1))
		gone <- err
	}()
	eventually(t, "the connection is closed", func() bool {
		c.check()
		return len(gone) > 0
	})
}

func TestAClientThatTakesNoRepliesIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		e := &entrant{Conn: near, gate: newTestGate(Limits{Stall: time.Minute})}
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

func TestALoginThatBreaksOffLogsWhichKeyWasOffered(t *testing.T) {
	t.Parallel()
	h := build(t, nil, greet)
	raw, err := net.Dial("tcp", h.address)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	_, _, _, err = ssh.NewClientConn(raw, h.address, &ssh.ClientConfig{
		User: "ada", HostKeyCallback: ssh.FixedHostKey(h.host.PublicKey()), Auth: []ssh.AuthMethod{ssh.PublicKeys(forger{h.key})},
	})
	if err == nil {
		t.Fatal("a forged signature is in")
	}
	h.logs(`"login refused"`, ssh.FingerprintSHA256(h.key.PublicKey()))
}

// forger has the public key alone.
type forger struct{ ssh.Signer }

func (f forger) Sign(random io.Reader, data []byte) (*ssh.Signature, error) {
	return f.Signer.Sign(random, append(data, '!'))
}
