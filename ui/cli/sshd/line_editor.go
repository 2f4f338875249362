package sshd

import (
	"context"
	"io"
	"sync"
	"unicode/utf8"
)

// lineEditor is the input of a command at a terminal, one line at a time. The
// terminal is in raw mode, so it echoes, corrects and ends lines here. It reads
// on while the command does not, because Ctrl-C ends the command.
type lineEditor struct {
	*session
	from io.Reader
	// line is what was typed since the last line break, echo what is still to be
	// shown of it.
	line, echo []byte

	mu sync.Mutex
	// more is signalled when ready or err changes.
	more  *sync.Cond
	ready []byte
	// err ends the input after what is ready.
	err error
}

func (s *session) editLines(from io.Reader) io.Reader {
	e := &lineEditor{session: s, from: from}
	e.more = sync.NewCond(&e.mu)
	context.AfterFunc(s.ctx, func() { e.deliver(nil, context.Cause(s.ctx)) })
	go e.listen()
	return e
}

// The control characters that edit a line.
const (
	ctrlC, ctrlD, ctrlU, ctrlBackslash = 0x03, 0x04, 0x15, 0x1c
	backspace, del                     = 0x08, 0x7f
)

func (e *lineEditor) listen() {
	b := make([]byte, 4096)
	for {
		n, err := e.from.Read(b)
		for _, c := range b[:n] {
			e.press(c)
		}
		e.show()
		if err != nil {
			e.deliver(e.line, err)
			return
		}
	}
}

func (e *lineEditor) press(c byte) {
	switch {
	case c == ctrlC, c == ctrlBackslash:
		e.echo = append(e.echo, "^C\r\n"...)
		e.show()
		e.cancel(ErrInterrupted)
	case c == ctrlD && len(e.line) == 0:
		e.deliver(nil, io.EOF)
	case c == ctrlD:
		e.deliver(e.line, nil)
		e.line = nil
	case c == '\r', c == '\n':
		e.echo = append(e.echo, "\r\n"...)
		e.deliver(append(e.line, '\n'), nil)
		e.line = nil
	case c == del, c == backspace:
		e.back()
	case c == ctrlU:
		for len(e.line) > 0 {
			e.back()
		}
	case c >= ' ', c == '\t':
		e.line = append(e.line, c)
		e.echo = append(e.echo, c)
	}
}

func (e *lineEditor) back() {
	if len(e.line) == 0 {
		return
	}
	_, size := utf8.DecodeLastRune(e.line)
	e.line = e.line[:len(e.line)-size]
	e.echo = append(e.echo, "\b \b"...)
}

func (e *lineEditor) show() {
	if len(e.echo) > 0 {
		_, _ = (&output{e.session, e.channel}).Write(e.echo)
	}
	e.echo = e.echo[:0]
}

// deliver gives the command text to read; err, if it is one, ends its input. What the
// command does not read is limited to Limits.Input.
func (e *lineEditor) deliver(text []byte, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return
	}
	e.ready, e.err = append(e.ready, text...), err
	if len(e.ready) > e.conn.server.o.Limits.Input {
		e.ready, e.err = nil, ErrFlooded
		e.cancel(ErrFlooded)
	}
	e.more.Broadcast()
}

// Read waits for a line, or the end.
func (e *lineEditor) Read(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.ready) == 0 && e.err == nil {
		e.more.Wait()
	}
	n := copy(b, e.ready)
	if e.ready = e.ready[n:]; n == 0 && len(b) > 0 {
		return 0, e.err
	}
	return n, nil
}
