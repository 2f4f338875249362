package sshd

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"

	"tonne/model/longtest"
)

// fakeConn is a connection without a network.
type fakeConn struct {
	net.Conn
	address string
}

func (s *fakeConn) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(s.address))
}

func (s *fakeConn) Close() error { return nil }

func newTestGate(l Limits) *gate {
	return &gate{limits: l, rates: make(map[netip.Prefix]*rate.Limiter)}
}

func TestGateEvictsOldestLogin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newTestGate(Limits{Handshakes: 3, HandshakesPerAddress: 2, Burst: 4})
		enter := func(address, want string) *loginConn {
			t.Helper()
			e, why := g.enter(&fakeConn{address: address})
			if e == nil || why != want {
				t.Fatalf("%s: %q, want %q", address, why, want)
			}
			return e
		}
		closed := func(want bool, those ...*loginConn) {
			t.Helper()
			for n, e := range those {
				if got := e.closed.Load(); got != want {
					t.Errorf("connection %d: closed is %v", n, got)
				}
			}
		}
		first := enter("192.0.2.1:1000", "")
		second := enter("192.0.2.1:1001", "")
		other := enter("[2001:db8::1]:1", "")
		third := enter("192.0.2.1:1002", "too many connections are logging in from this address")
		fourth := enter("192.0.2.2:1", "too many connections are logging in")
		neighbour := enter("[2001:db8::ffff]:1", "too many connections are logging in")
		// The second finishes its login before evictionDelay.
		second.loginDone()
		closed(false, first, second, other, third, fourth, neighbour)
		time.Sleep(evictionDelay)
		synctest.Wait()
		closed(true, first, other)
		closed(false, second, third, fourth, neighbour)
		for _, e := range []*loginConn{first, other, third, fourth, neighbour, neighbour} {
			e.loginDone()
		}
		if len(g.waiting) > 0 || g.evicting > 0 {
			t.Errorf("%d waiting, %d evicting", len(g.waiting), g.evicting)
		}
	})
}

func TestGateBoundsEvictedConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newTestGate(Limits{Handshakes: 1, HandshakesPerAddress: 1, Burst: 4})
		var all []*loginConn
		for range maxEvicting + 11 {
			e, _ := g.enter(&fakeConn{address: "192.0.2.1:1000"})
			all = append(all, e)
		}
		closed := 0
		for _, e := range all {
			if e.closed.Load() {
				closed++
			}
		}
		if closed != 10 || len(g.waiting) != 1 {
			t.Errorf("%d closed, %d waiting", closed, len(g.waiting))
		}
		for _, e := range all {
			e.loginDone()
		}
	})
}

// attack keeps connections open from an address. Each sends some data and then nothing,
// and is opened again as soon as it is closed.
func attack(t *testing.T, running *sync.WaitGroup, stop <-chan struct{}, from, to string, connections int, sent []byte, opened *atomic.Int64) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	for range connections {
		running.Go(func() {
			for {
				raw, err := dialer.Dial("tcp", to)
				if err != nil {
					select {
					case <-stop:
						return
					case <-time.After(time.Millisecond):
					}
					continue
				}
				opened.Add(1)
				_ = raw.(*net.TCPConn).SetLinger(0)
				closing := make(chan struct{})
				go func() {
					select {
					case <-stop:
					case <-closing:
					}
					_ = raw.Close()
				}()
				_, _ = raw.Write(sent)
				for buffer := make([]byte, 4096); ; {
					if _, err := raw.Read(buffer); err != nil {
						break
					}
				}
				close(closing)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
}

// halfHandshake returns the data that a client sends before its key exchange.
func halfHandshake(t *testing.T) []byte {
	t.Helper()
	ours, theirs := net.Pipe()
	defer ours.Close()
	go func() {
		_, _, _, _ = ssh.NewClientConn(theirs, "", &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()})
	}()
	var sent []byte
	go func() { _, _ = ours.Write([]byte("SSH-2.0-x\r\n")) }()
	_ = ours.SetReadDeadline(time.Now().Add(time.Second))
	for buffer := make([]byte, 4096); ; {
		n, err := ours.Read(buffer)
		sent = append(sent, buffer[:n]...)
		if err != nil {
			return sent
		}
	}
}

// The flood fills every limit, from the client's address and from others, and reopens
// connections as soon as they are closed.
func TestLoginSucceedsDuringConnectionFlood(t *testing.T) {
	longtest.Only(t)
	half := halfHandshake(t)
	if len(half) < 500 {
		t.Fatalf("a half handshake has %d bytes", len(half))
	}
	for name, sent := range map[string][]byte{"idle": nil, "a version": []byte("SSH-2.0-x\r\n"), "half a handshake": half} {
		t.Run(name, func(t *testing.T) {
			h, address := onTCP(t, nil, echoCommand)
			stop := make(chan struct{})
			var running sync.WaitGroup
			var opened atomic.Int64
			defer running.Wait()
			defer close(stop)
			for _, from := range []string{"127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"} {
				attack(t, &running, stop, from, address, 24, sent, &opened)
			}
			eventually(t, "the limits are not reached", func() bool { return opened.Load() > 130 })
			for n := range 18 {
				began := time.Now()
				c, err := h.dial(h.key)
				if err != nil {
					t.Fatalf("login %d: %v", n, err)
				}
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("login %d takes %v", n, took)
				}
				if status, _, _ := h.run(c, "market"); status != 7 {
					t.Errorf("exit status %d, want 7", status)
				}
				_ = c.Close()
			}
			t.Logf("%d connections were opened", opened.Load())
		})
	}
}
