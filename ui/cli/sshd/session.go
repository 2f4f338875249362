package sshd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
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
	// In ends with the connection, and that of a command with its session. Out and
	// Err return the carriage at each line feed if there is a terminal.
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
	// started says that a shell or a command was requested.
	started bool
	// inputPace limits what a terminal sends, commandPace how fast sessions such
	// as this one begin.
	inputPace, commandPace *rate.Limiter
	// full is the limit that the session is beyond, nil for none.
	full error
	// heard is when input came last, in nanoseconds since began.
	began    time.Time
	heard    atomic.Int64
	warnings chan Warning
	serving  sync.WaitGroup
	// sending guards writes to the channel, which takes one at a time.
	sending sync.Mutex
	// release ends what the session counts for, once.
	release func()
}

func newSession(c *conn, channel ssh.Channel) *session {
	limits := c.server.o.Limits
	s := &session{
		conn: c, channel: channel, began: time.Now(), warnings: make(chan Warning, 1),
		inputPace: rate.NewLimiter(rate.Limit(limits.InputPerSecond), limits.Input),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.Person, s.Warnings = c.person, s.warnings
	return s
}

func (s *session) run(requests <-chan *ssh.Request) {
	late := time.AfterFunc(s.conn.server.o.Limits.Grace, func() { s.finish(ErrIdle) })
	for r := range requests {
		granted := s.handle(r)
		if r.WantReply {
			_ = r.Reply(granted, nil)
		}
		if granted && (r.Type == "shell" || r.Type == "exec") {
			late.Stop()
			s.serving.Go(s.serve)
		}
	}
	late.Stop()
	s.cancel(ErrGone)
	s.serving.Wait()
	s.finish(ErrGone)
}

// finish ends a session that serves nothing, whether the client closes its
// channel or not.
func (s *session) finish(err error) {
	s.cancel(err)
	_ = s.channel.Close()
	s.release()
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
	if s.started {
		return false
	}
	s.started, s.Command = true, command
	s.In = &input{s}
	switch {
	case command != "" && s.Terminal != nil:
		s.In = s.editLines(s.In)
	case command != "":
		s.In = s.untilOver(s.In)
	}
	s.Out, s.Err = &output{s, s.channel}, &output{s, s.channel.Stderr()}
	return true
}

func (s *session) serve() {
	command, terminal, reason := printable(s.Command, 4096), "", "left"
	if s.Terminal != nil {
		terminal = s.Terminal.String()
	}
	s.conn.log("session", "command", command, "terminal", terminal)
	s.serving.Go(s.watchIdle)
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
	if s.Command != "" || s.full != nil {
		_ = s.commandPace.Wait(s.ctx)
	}
	if s.full != nil {
		s.cancel(s.full)
	}
	return s.conn.server.o.Serve(s.ctx, &s.Session)
}

func (s *session) watchIdle() {
	idle := s.conn.server.o.Limits.Idle
	warn := min(s.conn.server.o.Limits.Warn, idle/2)
	timer := time.NewTimer(idle - warn)
	defer timer.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-timer.C:
		}
		heard := s.heard.Load()
		left := idle - time.Since(s.began) + time.Duration(heard)
		switch {
		case left <= 0:
			s.cancel(ErrIdle)
		case left <= warn:
			select {
			case s.warnings <- Warning{Until: time.Now().Add(left), Holds: func() bool { return s.heard.Load() == heard }}:
			default:
			}
			timer.Reset(left)
		default:
			timer.Reset(left - warn)
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
		_ = out.channel.Close()
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
