package sshd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/ssh"

	must "tonne/model/musttest"
)

func TestRemovedKeyEndsItsSessions(t *testing.T) {
	bubble(t, nil, wait, func(t *testing.T, h *testServer) {
		adas, _, ada := h.start(h.login())
		_, _, ben := h.start(h.loginWith(h.ben))
		h.setKeys(line("", h.ben, "ben"))
		ada.want(ErrRemoved.Error())
		err := adas.Wait()
		must.Hold(t, err != nil, "Ada's session ends without an error")
		must.Hold(t, must.Err(h.dial(ssh.PublicKeys(h.key))) != nil, "login with Ada's removed key succeeds")
		h.setKeys(line("read-only", h.ben, "ben")) // another option
		ben.want(ErrRemoved.Error())
		h.logs(`"session over"`, `"person":"ben"`, ErrRemoved.Error())
	})
}

func TestExpiredKeyEndsItsSessions(t *testing.T) {
	bubble(t, nil, wait, func(t *testing.T, h *testServer) {
		expires := time.Now().Add(10 * time.Minute)
		h.setKeys(line(`expiry-time="`+expires.UTC().Format("20060102150405")+`Z"`, h.ben, "ben"))
		_, _, ben := h.start(h.loginWith(h.ben))
		ben.want(ErrExpired.Error())
		late := time.Since(expires)
		must.Hold(t, late >= 0 && late <= 2*time.Second, "the session ends", late, "after the key")
		must.Hold(t, must.Err(h.dial(ssh.PublicKeys(h.ben))) != nil, "login with an expired key succeeds")
		h.logs(`"login refused"`, `"expired":"ben, the key has expired on `)
		h.setKeys("# people\n", line(`expiry-time="19990101Z"`, h.key, "ada"))
		h.logs(`"line ignored"`, "authorized_keys, line 2: the key has expired on 1999-01-01")
	})
}

// untilRead prints "ready", and ends when its input does.
func untilRead(_ context.Context, s *Session) int {
	_, _ = io.WriteString(s.Out, "ready\n")
	_, err := io.ReadAll(s.In)
	_, _ = io.WriteString(s.Out, err.Error()+"\n")
	return 1
}

// A session may not watch its context.
func TestHangingSessionsAreCutOff(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(h *testServer)
		want error
	}{
		"removed key": {func(h *testServer) { h.setKeys(line("", h.ben, "ben")) }, ErrRemoved},
		"shutdown":    {func(h *testServer) { h.stop() }, ErrClosing},
	} {
		t.Run(name+", command that reads input", func(t *testing.T) {
			bubble(t, nil, untilRead, func(t *testing.T, h *testServer) {
				_, _, l := h.start(h.login())
				test.end(h)
				l.want(test.want.Error())
			})
		})
		t.Run(name+", command that hangs", func(t *testing.T) {
			hang := func(_ context.Context, s *Session) int {
				_, _ = io.WriteString(s.Out, "ready\n")
				time.Sleep(time.Minute)
				return 0
			}
			bubble(t, nil, hang, func(t *testing.T, h *testServer) {
				c := h.login()
				h.start(c)
				began := time.Now()
				test.end(h)
				_ = c.Wait()
				took := time.Since(began)
				must.Hold(t, took <= h.o.Limits.Drain+3*h.o.Limits.Reload, "the connection stays open for", took)
			})
		})
	}
}

// OpenSSH's client exits with 255 if the server closes the connection first.
func TestConnectionStaysOpenBrieflyAfterSessionEnds(t *testing.T) {
	bubble(t, nil, wait, func(t *testing.T, h *testServer) {
		c := h.login()
		s, _, _ := h.start(c)
		h.setKeys(line("", h.ben, "ben"))
		_ = s.Wait()
		began := time.Now()
		_, _, err := c.SendRequest("keepalive@openssh.com", true, nil)
		must.Hold(t, err == nil, "request after the session", err)
		_ = c.Wait()
		open := time.Since(began)
		must.Hold(t, open <= h.o.Limits.Leave, "the connection stays open for", open)
	})
}

func TestIdleSessionIsWarnedThenEnded(t *testing.T) {
	for idle, warned := range map[time.Duration]time.Duration{
		30 * time.Minute: 29 * time.Minute, 2 * time.Minute: time.Minute, 70 * time.Second: 35 * time.Second,
		2 * time.Second: time.Second,
	} {
		t.Run(idle.String(), func(t *testing.T) {
			var warnings chan Warning
			relay := func(ctx context.Context, s *Session) int {
				_, _ = io.WriteString(s.Out, "ready\n")
				go io.Copy(io.Discard, s.In)
				for {
					select {
					case w := <-s.Warnings:
						warnings <- w
					case <-ctx.Done():
						_, _ = io.WriteString(s.Out, context.Cause(ctx).Error()+"\n")
						return 1
					}
				}
			}
			bubble(t, func(l *Limits) { l.Idle = idle }, relay, func(t *testing.T, h *testServer) {
				warnings = make(chan Warning, 10)
				_, in, l := h.start(h.login())
				key := func() time.Time {
					_, _ = in.Write([]byte("j"))
					synctest.Wait()
					return time.Now()
				}
				pressed := key()
				for range 2 {
					w := <-warnings
					after := time.Since(pressed)
					must.Hold(t, after >= warned && after <= warned+time.Second && w.Valid() && w.Until.Equal(pressed.Add(idle)),
						"warning after", after, "for", w.Until.Sub(pressed), "valid", w.Valid())
					pressed = key()
					must.Hold(t, !w.Valid(), "the warning is valid after a keypress")
				}
				l.want(ErrIdle.Error())
				after := time.Since(pressed)
				must.Hold(t, after >= idle && after <= idle+time.Second && len(warnings) == 1,
					"the session ends after", after, "and", len(warnings), "warnings")
			})
		})
	}
}

func TestSessionLimitsPerKeyAndServer(t *testing.T) {
	bubble(t, func(l *Limits) { l.Sessions, l.SessionsPerKey = 3, 2 }, wait, func(t *testing.T, h *testServer) {
		refused := func(c *ssh.Client, why string) {
			t.Helper()
			_, err := c.NewSession()
			refused, ok := errors.AsType[*ssh.OpenChannelError](err)
			must.Hold(t,
				ok && refused.Reason == ssh.ResourceShortage && refused.Message == why && fitsLine("resource shortage", why),
				"session above the limit", err)
			h.logs(`"refused"`, why)
		}
		first, _, _ := h.start(h.login())
		c := h.login()
		h.start(c)
		// Only the first refusals of a connection are logged.
		for range 500 {
			refused(c, "your key already has 2 sessions")
		}
		n := strings.Count(h.log.String(), `"msg":"refused"`)
		must.Hold(t, n <= 100, n, "refusals in the log, want at most 100")
		_ = c.Close()
		synctest.Wait()
		h.logs(`"logout"`, `"unlogged_refusals":400`)
		h.start(h.login())
		ben := h.loginWith(h.ben)
		h.start(ben)
		refused(ben, "the server is full: 3 sessions")
		_ = first.Close()
		synctest.Wait()
		h.start(ben)
	})
}

func TestUnusedConnectionIsClosed(t *testing.T) {
	bubble(t, nil, wait, func(t *testing.T, h *testServer) {
		silent, unused, opened := must.Get(h.dialRaw()), h.login(), h.open(h.login())
		began := time.Now()
		_, err := io.ReadAll(silent)
		must.Hold(t, err == nil, "a connection without a login", err)
		err = unused.Wait()
		must.Hold(t, err != nil, "a connection without a session ends without an error")
		must.Hold(t, must.Err(opened.Read(make([]byte, 1))) != nil, "a session without a request stays open")
		took := time.Since(began)
		must.Hold(t, took <= h.o.Limits.Grace+3*time.Second, "it takes", took)
	})
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
	bubble(t, nil, echoCommand, func(t *testing.T, h *testServer) {
		near, far := net.Pipe()
		defer far.Close()
		ada, _ := h.o.Keys.Find(ssh.FingerprintSHA256(h.key.PublicKey()), time.Now())
		c := &conn{server: h.Server, raw: &loginConn{Conn: near}, person: ada, sessions: make(map[*session]bool)}
		requests, until := make(chan *ssh.Request), make(chan struct{})
		defer close(until)
		defer close(requests)
		s := newSession(c, stuckChannel{until: until}, nil)
		go s.run(requests)
		synctest.Wait()
		for range 2 {
			time.Sleep(h.o.Limits.Grace + time.Second)
			c.check()
			synctest.Wait()
		}
		_, err := far.Read(make([]byte, 1))
		must.Hold(t, err == io.EOF, "the connection stays open", err)
	})
}

func TestClientThatReadsNothingIsCutOff(t *testing.T) {
	t.Run("replies before a session", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			near, far := net.Pipe()
			defer far.Close()
			e := &loginConn{Conn: near, gate: newTestGate(Limits{Stall: time.Minute})}
			e.done.Store(true)
			began := time.Now()
			_, err := e.Write([]byte("reply"))
			must.Hold(t, err != nil && time.Since(began) == time.Minute, "after", time.Since(began), err)
			_, err = far.Read(make([]byte, 1))
			must.Hold(t, err == io.EOF, "the connection is not closed", err)
		})
	})
	t.Run("output of a session", func(t *testing.T) {
		endless := func(_ context.Context, s *Session) int {
			for {
				if _, err := s.Out.Write(make([]byte, 1<<16)); err != nil {
					return 1
				}
			}
		}
		bubble(t, nil, endless, func(t *testing.T, h *testServer) {
			c := h.login()
			must.Succeed(t, must.Err(h.open(c).SendRequest("exec", true, ssh.Marshal(struct{ Text string }{"x"}))))
			began := time.Now()
			_ = c.Wait()
			must.Equal(t, time.Since(began), h.o.Limits.Stall, "the connection is closed after")
			h.logs(`"session over"`, ErrStalled.Error())
		})
	})
}

func TestInputFloodEndsSession(t *testing.T) {
	discard := func(_ context.Context, s *Session) int {
		if _, err := io.Copy(io.Discard, s.In); err != nil {
			return 2
		}
		return 0
	}
	bubble(t, func(l *Limits) { l.Input, l.InputPerSecond = 1<<20, 1e-9 }, discard, func(t *testing.T, h *testServer) {
		c := h.login()
		for size, want := range map[int]string{1 << 19: "left", 1<<20 + 1: ErrFlooded.Error()} {
			s := must.Get(c.NewSession())
			s.Stdin = bytes.NewReader(make([]byte, size))
			must.Succeed(t, s.RequestPty("xterm", 24, 80, nil), s.Shell())
			_ = s.Wait()
			h.logs(`"session over"`, `"reason":"`+want+`"`)
		}
	})
}

func TestCommandRateIsLimitedPerKey(t *testing.T) {
	bubble(t, func(l *Limits) { l.Commands, l.CommandsPerSecond = 3, 1.0/60 }, echoCommand,
		func(t *testing.T, h *testServer) {
			took := func(c *ssh.Client) time.Duration {
				began := time.Now()
				h.run(c, "market")
				return time.Since(began)
			}
			ada, ben := h.login(), h.loginWith(h.ben)
			for range 3 {
				d := took(ada)
				must.Hold(t, d <= time.Second, "a command within the burst takes", d)
			}
			d := took(ben)
			must.Hold(t, d <= time.Second, "a command of another key takes", d)
			d = took(ada)
			must.Hold(t, d >= 50*time.Second && d <= time.Minute, "the next command takes", d)
		})
}

func TestKeyExchangeRateIsLimitedPerAddress(t *testing.T) {
	bubble(t, func(l *Limits) { l.PerSecond, l.Burst = 4, 2 }, echoCommand, func(t *testing.T, h *testServer) {
		began := time.Now()
		for range 6 {
			h.login()
		}
		took := time.Since(began)
		must.Hold(t, took >= 900*time.Millisecond && took <= 1200*time.Millisecond, "6 logins take", took)
	})
}
