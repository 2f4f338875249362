package sshd

import (
	"context"
	"io"
	"sync"
	"unicode/utf8"
)

// typed is what somebody types at a command, a line at a time: their terminal is
// raw, so that the echo, the corrections and the keys that end something are made
// here. It is read on while the command reads nothing, for the key that ends it.
type typed struct {
	*session
	from io.Reader
	// line is what was typed since the last line break, shown what is to be
	// echoed.
	line, shown []byte

	mu sync.Mutex
	// more is signalled when ready or err changes.
	more  *sync.Cond
	ready []byte
	// err is why nothing more comes; the command reads what is ready before.
	err error
}

func (s *session) typing(from io.Reader) io.Reader {
	t := &typed{session: s, from: from}
	t.more = sync.NewCond(&t.mu)
	context.AfterFunc(s.ctx, func() { t.hand(nil, context.Cause(s.ctx)) })
	go t.listen()
	return t
}

// The keys that a terminal has for the line that is typed.
const (
	keyInterrupt = 0x03
	keyEnd       = 0x04
	keyQuit      = 0x1c
	keyBack      = 0x7f
	keyBackspace = 0x08
	keyDropLine  = 0x15
)

func (t *typed) listen() {
	b := make([]byte, 4096)
	for {
		n, err := t.from.Read(b)
		for _, c := range b[:n] {
			t.press(c)
		}
		t.show()
		if err != nil {
			t.hand(t.line, err)
			return
		}
	}
}

func (t *typed) press(c byte) {
	switch {
	case c == keyInterrupt, c == keyQuit:
		t.shown = append(t.shown, "^C\r\n"...)
		t.show()
		t.cancel(ErrInterrupted)
	case c == keyEnd && len(t.line) == 0:
		t.hand(nil, io.EOF)
	case c == keyEnd:
		t.hand(t.line, nil)
		t.line = nil
	case c == '\r', c == '\n':
		t.shown = append(t.shown, "\r\n"...)
		t.hand(append(t.line, '\n'), nil)
		t.line = nil
	case c == keyBack, c == keyBackspace:
		t.back()
	case c == keyDropLine:
		for len(t.line) > 0 {
			t.back()
		}
	case c >= ' ', c == '\t':
		t.line = append(t.line, c)
		t.shown = append(t.shown, c)
	}
}

func (t *typed) back() {
	if len(t.line) == 0 {
		return
	}
	_, size := utf8.DecodeLastRune(t.line)
	t.line = t.line[:len(t.line)-size]
	t.shown = append(t.shown, "\b \b"...)
}

func (t *typed) show() {
	if len(t.shown) > 0 {
		_, _ = (&output{t.session, t.channel}).Write(t.shown)
	}
	t.shown = t.shown[:0]
}

// hand gives the command what it may read now; err, if it is one, says that there
// is no more. What nobody reads is as bounded as what comes in at once.
func (t *typed) hand(text []byte, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return
	}
	t.ready, t.err = append(t.ready, text...), err
	if len(t.ready) > t.conn.server.o.Limits.Input {
		t.ready, t.err = nil, ErrFlooded
		t.cancel(ErrFlooded)
	}
	t.more.Broadcast()
}

// Read waits for a line, or the end.
func (t *typed) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.ready) == 0 && t.err == nil {
		t.more.Wait()
	}
	n := copy(b, t.ready)
	if t.ready = t.ready[n:]; n == 0 && len(b) > 0 {
		return 0, t.err
	}
	return n, nil
}
