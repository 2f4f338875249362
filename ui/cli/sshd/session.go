package sshd

import (
	"bytes"
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

// Session is a session of a person: a terminal, a command, or both.
type Session struct {
	Person Person
	// Command is the command line, or empty.
	Command string
	// Terminal is nil if the session has none.
	Terminal *Terminal
	// Environ describes the terminal, as NAME=value.
	Environ []string
	// In ends with the connection; without a terminal, it also ends with the session.
	// It is empty for a command that has a terminal.
	In       io.Reader
	Out, Err io.Writer
	// Warnings receives a warning before an idle session ends.
	Warnings <-chan Warning
}

// Warning warns that the session will end at Until unless a key is pressed.
type Warning struct {
	Until time.Time
	// Valid reports whether no key was pressed since the warning.
	Valid func() bool
}

// session is the server's end of a Session.
type session struct {
	Session
	conn    *conn
	channel ssh.Channel
	ctx     context.Context
	cancel  context.CancelCauseFunc
	// inputRate limits the input of a terminal, and commandRate the commands per key.
	inputRate, commandRate *rate.Limiter
	began                  time.Time
	// started reports that a shell or a command was requested. lastInput is the time
	// of the last input, in nanoseconds since began; warned is the lastInput of the
	// last warning.
	started   atomic.Bool
	lastInput atomic.Int64
	warned    int64
	warnings  chan Warning
	serving   sync.WaitGroup
	// sending serialises writes to the channel.
	sending sync.Mutex
}

func newSession(c *conn, channel ssh.Channel, commands *rate.Limiter) *session {
	limits := c.server.o.Limits
	s := &session{
		conn: c, channel: channel, began: time.Now(), warned: -1, warnings: make(chan Warning, 1),
		inputRate: rate.NewLimiter(rate.Limit(limits.InputPerSecond), limits.Input), commandRate: commands,
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.Person, s.Warnings = c.person, s.warnings
	return s
}

func (s *session) run(requests <-chan *ssh.Request) {
	defer s.finish(ErrDisconnected)
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
	s.cancel(ErrDisconnected)
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
		s.In = s.endWithSession(s.In)
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
	if cause := context.Cause(s.ctx); cause != nil {
		reason = cause.Error()
	}
	s.cancel(ErrDisconnected)
	s.conn.log("session over", "command", command, "status", status, "took",
		time.Since(s.began).Round(time.Millisecond).String(), "reason", reason)
	_, _ = s.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(status)}))
	s.sending.Lock()
	_ = s.channel.CloseWrite()
	s.sending.Unlock()
	s.finish(ErrDisconnected)
}

func (s *session) call() (status int) {
	defer func() {
		if p := recover(); p != nil {
			s.conn.server.o.Log.Error("panic", "what", fmt.Sprint(p), "stack", string(debug.Stack()))
			status = 1
		}
	}()
	if s.Command != "" {
		_ = s.commandRate.Wait(s.ctx)
	}
	return s.conn.server.o.Serve(s.ctx, &s.Session)
}

// check warns and then ends a session that is idle or never started. Calls must not
// be concurrent.
func (s *session) check() {
	limits, age, last := s.conn.server.o.Limits, time.Since(s.began), s.lastInput.Load()
	left := limits.Idle - age + time.Duration(last)
	switch {
	case !s.started.Load() && age > limits.Grace:
		// The caller holds the lock that finish needs.
		go s.finish(ErrIdle)
	case left <= 0:
		s.cancel(ErrIdle)
	case left <= min(limits.Warn, limits.Idle/2) && last != s.warned:
		s.warned = last
		select {
		case s.warnings <- Warning{Until: time.Now().Add(left), Valid: func() bool { return s.lastInput.Load() == last }}:
		default:
		}
	}
}

type input struct{ *session }

// Read ends a terminal session that sends more than a user can type or paste.
func (in *input) Read(b []byte) (int, error) {
	n, err := in.channel.Read(b)
	if n > 0 {
		in.lastInput.Store(int64(time.Since(in.began)))
		if in.Terminal != nil && !in.inputRate.AllowN(time.Now(), n) {
			in.cancel(ErrFlooded)
			return 0, ErrFlooded
		}
	}
	return n, err
}

// The client's terminal is in raw mode, so Ctrl-C arrives as input and not as a signal.
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

// endWithSession returns input that ends when the session does, because a command may
// be reading endless input.
func (s *session) endWithSession(in io.Reader) io.Reader {
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

// Write closes the connection if the client does not read for too long.
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
	if err != nil {
		// A write may find out that the connection is lost before a read does.
		out.cancel(ErrDisconnected)
		err = context.Cause(out.ctx)
	}
	return min(n, len(b)), err
}
