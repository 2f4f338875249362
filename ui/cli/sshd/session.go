package sshd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"
)

// Session is one that a person opened: a terminal, a command, or both.
type Session struct {
	Person Person
	// Command is the command line as it was typed, empty for none.
	Command string
	// Terminal is nil if the session has none.
	Terminal *Terminal
	// Environ describes the terminal, as NAME=value.
	Environ []string
	// In ends with the connection, and that of a command with its session. A command
	// at a terminal has none.
	In       io.Reader
	Out, Err io.Writer
	// Warnings announce that the session is about to end.
	Warnings <-chan Warning
}

// Warning announces that the session ends unless a key is pressed.
type Warning struct {
	Until time.Time
	// Holds reports whether no key was pressed since.
	Holds func() bool
}

// session is the server's end of a Session.
type session struct {
	Session
	conn    *conn
	channel ssh.Channel
	ctx     context.Context
	cancel  context.CancelCauseFunc
	// inputPace limits what a terminal sends, commandPace how fast sessions such
	// as this one begin.
	inputPace, commandPace *rate.Limiter
	began                  time.Time
	// started says that a shell or a command was requested, heard when input came
	// last, in nanoseconds since began, and warned for which of them there was a
	// warning.
	started  atomic.Bool
	heard    atomic.Int64
	warned   int64
	warnings chan Warning
	serving  sync.WaitGroup
	// sending guards writes to the channel, which takes one at a time.
	sending sync.Mutex
}

func newSession(c *conn, channel ssh.Channel, pace *rate.Limiter) *session {
	limits := c.server.o.Limits
	s := &session{
		conn: c, channel: channel, began: time.Now(), warned: -1, warnings: make(chan Warning, 1),
		inputPace: rate.NewLimiter(rate.Limit(limits.InputPerSecond), limits.Input), commandPace: pace,
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.Person, s.Warnings = c.person, s.warnings
	return s
}

func (s *session) run(requests <-chan *ssh.Request) {
	defer s.finish(ErrGone)
	if !s.conn.add(s) {
		s.finish(ErrClosing)
	}
	for r := range requests {
		granted := s.handle(r)
		if r.WantReply {
			_ = r.Reply(granted, nil)
		}
		if granted && (r.Type == "shell" || r.Type == "exec") {
			s.serving.Go(s.serve)
		}
	}
	s.cancel(ErrGone)
	s.serving.Wait()
}

func (s *session) finish(err error) {
	s.cancel(err)
	s.conn.drop(s)
	_ = s.channel.Close()
}

func (s *session) handle(r *ssh.Request) bool {
	switch r.Type {
	case "pty-req":
		return s.setTerminal(r.Payload)
	case "window-change":
		return s.Terminal != nil && s.Terminal.resize(r.Payload)
	case "env":
		return s.setVariable(r.Payload)
	case "shell":
		return s.start("")
	case "exec":
		var exec struct{ Command string }
		return ssh.Unmarshal(r.Payload, &exec) == nil && exec.Command != "" && s.start(exec.Command)
	}
	s.conn.logRefusal("request", Printable(r.Type))
	return false
}

func (s *session) start(command string) bool {
	if s.started.Swap(true) {
		return false
	}
	s.Command = command
	s.In, s.Out, s.Err = &input{s}, &output{s, s.channel}, &output{s, s.channel.Stderr()}
	switch {
	case command != "" && s.Terminal != nil:
		go s.awaitInterrupt(s.In)
		s.In = strings.NewReader("")
	case command != "":
		s.In = s.untilOver(s.In)
	}
	return true
}

func (s *session) serve() {
	command, terminal, reason := printable(s.Command, 4096), "", "left"
	if s.Terminal != nil {
		terminal = s.Terminal.String()
	}
	s.conn.log("session", "command", command, "terminal", terminal)
	status := s.call()
	if why := context.Cause(s.ctx); why != nil {
		reason = why.Error()
	}
	s.cancel(ErrGone)
	s.conn.log("session over", "command", command, "status", status, "took", time.Since(s.began).Round(time.Millisecond).String(), "reason", reason)
	_, _ = s.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(status)}))
	s.sending.Lock()
	_ = s.channel.CloseWrite()
	s.sending.Unlock()
	s.finish(ErrGone)
}

func (s *session) call() (status int) {
	defer func() {
		if p := recover(); p != nil {
			s.conn.server.o.Log.Error("panic", "what", fmt.Sprint(p), "stack", string(debug.Stack()))
			status = 1
		}
	}()
	if s.Command != "" {
		_ = s.commandPace.Wait(s.ctx)
	}
	return s.conn.server.o.Serve(s.ctx, &s.Session)
}

// check ends a session in which nothing is requested or pressed for too long, and
// warns of the end. It is not called by two at once.
func (s *session) check() {
	limits, age, heard := s.conn.server.o.Limits, time.Since(s.began), s.heard.Load()
	left := limits.Idle - age + time.Duration(heard)
	switch {
	case !s.started.Load() && age > limits.Grace:
		// drop waits for the lock of the connection.
		go s.finish(ErrIdle)
	case left <= 0:
		s.cancel(ErrIdle)
	case left <= min(limits.Warn, limits.Idle/2) && heard != s.warned:
		s.warned = heard
		select {
		case s.warnings <- Warning{Until: time.Now().Add(left), Holds: func() bool { return s.heard.Load() == heard }}:
		default:
		}
	}
}

type input struct{ *session }

// Read ends a session with a terminal that gets more than a person types or
// pastes.
func (in *input) Read(b []byte) (int, error) {
	n, err := in.channel.Read(b)
	if n > 0 {
		in.heard.Store(int64(time.Since(in.began)))
		if in.Terminal != nil && !in.inputPace.AllowN(time.Now(), n) {
			in.cancel(ErrFlooded)
			return 0, ErrFlooded
		}
	}
	return n, err
}

// The terminal is in raw mode: nothing else ends a command when Ctrl-C is pressed.
func (s *session) awaitInterrupt(in io.Reader) {
	b := make([]byte, 256)
	for {
		n, err := in.Read(b)
		if bytes.ContainsAny(b[:n], "\x03\x1c") {
			_, _ = io.WriteString(s.Out, "^C\n")
			s.cancel(ErrInterrupted)
		}
		if err != nil {
			return
		}
	}
}

// untilOver returns input that ends when the session is over: a command may be
// reading a list that never ends.
func (s *session) untilOver(in io.Reader) io.Reader {
	out, to := io.Pipe()
	context.AfterFunc(s.ctx, func() { _ = to.CloseWithError(context.Cause(s.ctx)) })
	go func() {
		_, err := io.Copy(to, in)
		_ = to.CloseWithError(err)
	}()
	return out
}

type output struct {
	*session
	w io.Writer
}

// Write ends the connection if the client takes nothing for too long.
func (out *output) Write(b []byte) (int, error) {
	if cause := context.Cause(out.ctx); errors.Is(cause, ErrInterrupted) {
		return 0, cause
	}
	late := time.AfterFunc(out.conn.server.o.Limits.Stall, func() {
		out.cancel(ErrStalled)
		out.conn.end(ErrStalled)
		out.conn.cut()
	})
	defer late.Stop()
	sent := b
	if out.Terminal != nil {
		// The terminal is in raw mode.
		sent = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
		sent = bytes.ReplaceAll(sent, []byte("\r\r\n"), []byte("\r\n"))
	}
	out.sending.Lock()
	defer out.sending.Unlock()
	n, err := out.w.Write(sent)
	if errors.Is(err, io.EOF) {
		err = cmp.Or(context.Cause(out.ctx), ErrGone)
	}
	return min(n, len(b)), err
}
