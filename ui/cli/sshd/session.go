package sshd

import (
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
	// Command is what was asked for, as it was typed; empty for none.
	Command string
	// Terminal is nil if the person has none here.
	Terminal *Terminal
	// Environ is what the terminal says of itself, as NAME=value.
	Environ []string
	// In ends when the connection does, and that of a command with its session.
	// Out and Err belong to a terminal in raw mode where there is one: a line
	// break becomes one there.
	In       io.Reader
	Out, Err io.Writer
	// Warnings tell that the session is about to end.
	Warnings <-chan Warning
}

// Warning says that the session ends for want of a key, unless one comes.
type Warning struct {
	Until time.Time
	// Holds reports whether none came.
	Holds func() bool
}

// session is a Session from the inside.
type session struct {
	Session
	conn    *conn
	channel ssh.Channel
	ctx     context.Context
	cancel  context.CancelCauseFunc
	// asked says that a shell or a command was asked for.
	asked bool
	pace  *rate.Limiter
	// turns is how fast sessions such as this one begin with the key.
	turns *rate.Limiter
	// full is why there is no room for the session, which is told so and ends; nil
	// where there is.
	full error
	// heard is when something came in last, in nanoseconds since the session
	// began.
	began    time.Time
	heard    atomic.Int64
	warnings chan Warning
	serving  sync.WaitGroup
	// sending is held by whoever writes: the library's channel takes one at a time,
	// and the echo of what is typed comes beside what a command prints.
	sending sync.Mutex
	// over gives up the place of the session, once.
	over func()
}

func newSession(c *conn, channel ssh.Channel) *session {
	limits := c.server.o.Limits
	s := &session{
		conn: c, channel: channel, began: time.Now(), warnings: make(chan Warning, 1),
		pace: rate.NewLimiter(rate.Limit(limits.InputPerSecond), limits.Input),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.Person, s.Warnings = c.person, s.warnings
	return s
}

func (s *session) run(requests <-chan *ssh.Request) {
	late := time.AfterFunc(s.conn.server.o.Limits.Grace, func() { s.finish(ErrIdle) })
	for r := range requests {
		granted := s.take(r)
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
	_ = s.channel.Close()
	s.over()
}

// finish ends a session that serves nothing yet, whether the other end closes its
// channel or not.
func (s *session) finish(err error) {
	s.cancel(err)
	_ = s.channel.Close()
	s.over()
}

func (s *session) take(r *ssh.Request) bool {
	switch r.Type {
	case "pty-req":
		return s.takeTerminal(r.Payload)
	case "window-change":
		return s.Terminal != nil && s.Terminal.resize(r.Payload)
	case "env":
		return s.takeVariable(r.Payload) || s.refuseVariable(r.Payload)
	case "shell":
		return s.begin("")
	case "exec":
		var exec struct{ Command string }
		return ssh.Unmarshal(r.Payload, &exec) == nil && exec.Command != "" && s.begin(exec.Command)
	}
	s.conn.logRefusal("request", Printable(r.Type))
	return false
}

func (s *session) begin(command string) bool {
	if s.asked {
		return false
	}
	s.asked, s.Command = true, command
	s.In = &input{s}
	switch {
	case command != "" && s.Terminal != nil:
		s.In = s.typing(s.In)
	case command != "":
		s.In = s.untilOver(s.In)
	}
	s.Out = &output{s, s.channel}
	s.Err = &output{s, s.channel.Stderr()}
	if s.Terminal != nil {
		s.Out, s.Err = &lines{w: s.Out}, &lines{w: s.Err}
	}
	return true
}

func (s *session) serve() {
	size := ""
	if s.Terminal != nil {
		size = s.Terminal.String()
	}
	s.conn.log("session", "command", shortened(s.Command), "terminal", size)
	stop := s.watchIdle()
	status := s.guarded()
	stop()
	why := context.Cause(s.ctx)
	s.cancel(ErrGone)
	s.conn.log("session over", "command", shortened(s.Command), "status", status, "took", time.Since(s.began).Round(time.Millisecond).String(), "reason", reason(why))
	_, _ = s.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(status)}))
	s.sending.Lock()
	_ = s.channel.CloseWrite()
	s.sending.Unlock()
	_ = s.channel.Close()
	s.over()
}

func reason(err error) string {
	if err == nil {
		return "left"
	}
	return err.Error()
}

// longestLogged is how much of a command is logged, in characters.
const longestLogged = 4096

func shortened(command string) string { return printable(command, longestLogged) }

func (s *session) guarded() (status int) {
	defer func() {
		if p := recover(); p != nil {
			s.conn.server.o.Log.Error("panic", "what", fmt.Sprint(p), "stack", string(debug.Stack()))
			status = 1
		}
	}()
	if s.Command != "" || s.full != nil {
		_ = s.turns.Wait(s.ctx)
	}
	if s.full != nil {
		s.cancel(s.full)
	}
	return s.conn.server.o.Serve(s.ctx, &s.Session)
}

func (s *session) watchIdle() (stop func()) {
	limits := s.conn.server.o.Limits
	var timer *time.Timer
	var mu sync.Mutex
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		quiet := time.Since(s.began) - time.Duration(s.heard.Load())
		switch {
		case s.ctx.Err() != nil:
		case quiet >= limits.Idle:
			s.cancel(ErrIdle)
		case quiet >= limits.Idle-limits.warn():
			s.warn(limits.Idle - quiet)
			timer.Reset(limits.Idle - quiet)
		default:
			timer.Reset(limits.Idle - limits.warn() - quiet)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(limits.Idle-limits.warn(), look)
	return func() { timer.Stop() }
}

func (s *session) warn(left time.Duration) {
	heard := s.heard.Load()
	select {
	case s.warnings <- Warning{Until: time.Now().Add(left), Holds: func() bool { return s.heard.Load() == heard }}:
	default:
	}
}

// input is what the person types.
type input struct{ *session }

// Read notes that something came, and ends a session in which that is more than
// anybody types or pastes.
func (in *input) Read(b []byte) (int, error) {
	n, err := in.channel.Read(b)
	if n > 0 {
		in.heard.Store(int64(time.Since(in.began)))
		if in.Terminal != nil && !in.pace.AllowN(time.Now(), n) {
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

// output is what the person sees. It is written as fast as the person's
// terminal takes it; one that takes nothing for too long ends the session.
type output struct {
	*session
	w io.Writer
}

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
	out.sending.Lock()
	defer out.sending.Unlock()
	n, err := out.w.Write(b)
	if errors.Is(err, io.EOF) {
		err = cmp.Or(context.Cause(out.ctx), ErrGone)
	}
	return n, err
}
