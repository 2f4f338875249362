package sshd

import (
	"bytes"
	"context"
	"io"
	"testing"

	"golang.org/x/crypto/ssh"
)

// typist is somebody with a terminal at whom a command runs.
type typist struct {
	*ssh.Session
	in  io.Writer
	out *lineReader
}

func (h *house) typist(t *testing.T) *typist {
	t.Helper()
	s, err := h.login().NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.RequestPty("xterm", 24, 80, nil); err != nil {
		t.Fatal(err)
	}
	in, _ := s.StdinPipe()
	out, _ := s.StdoutPipe()
	if err := s.Start("retirement -"); err != nil {
		t.Fatal(err)
	}
	return &typist{s, in, &lineReader{t: t, r: out}}
}

func (p *typist) types(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsTypedAtACommandIsShownCorrectedAndEnded(t *testing.T) {
	t.Parallel()
	read := make(chan string, 1)
	h := build(t, nil, func(_ context.Context, s *Session) int {
		text, err := io.ReadAll(s.In)
		if err != nil {
			text = []byte(err.Error())
		}
		read <- string(text)
		return 0
	})
	p := h.typist(t)
	p.types(t, "no\x15ax\x7fb\rcü\x7fd\n")
	if got := p.out.next(); got != "no\b \b\b \bax\b \bb\r" {
		t.Errorf("the first line shows as %q", got)
	}
	if got := p.out.next(); got != "cü\b \bd\r" {
		t.Errorf("the second line shows as %q", got)
	}
	p.types(t, "\x1b\x00e\x04f\r\x04")
	if got := <-read; got != "ab\ncd\nef\n" {
		t.Errorf("the command reads %q", got)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestCtrlCEndsACommandThatReadsNothing(t *testing.T) {
	t.Parallel()
	h := build(t, nil, func(ctx context.Context, s *Session) int {
		_, _ = io.WriteString(s.Out, "ready\n")
		<-ctx.Done()
		_, _ = io.WriteString(s.Out, "still here\n")
		return 130
	})
	p := h.typist(t)
	p.out.next()
	p.types(t, "a\r\x03")
	rest, err := io.ReadAll(p.out.r)
	if err != nil || string(rest) != "a\r\n^C\r\n" {
		t.Errorf("it goes on with %q, %v", rest, err)
	}
	if exit, failed := p.Wait().(*ssh.ExitError); !failed || exit.ExitStatus() != 130 {
		t.Errorf("it ends with %v", exit)
	}
	h.logs(`"session over"`, ErrInterrupted.Error())
}

func TestWhatACommandDoesNotReadIsBounded(t *testing.T) {
	t.Parallel()
	h := build(t, func(l *Limits) { l.Input, l.InputPerSecond = 16<<10, 1e9 }, func(ctx context.Context, s *Session) int {
		<-ctx.Done()
		return 1
	})
	p := h.typist(t)
	go io.Copy(io.Discard, p.out.r)
	line := append(bytes.Repeat([]byte("a"), 100), '\r')
	for {
		if _, err := p.in.Write(line); err != nil {
			break
		}
	}
	_ = p.Wait()
	h.logs(`"session over"`, ErrFlooded.Error())
}
