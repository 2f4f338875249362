package sshd

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"sync"

	"golang.org/x/crypto/ssh"
)

// Terminal is the one that a person has.
type Terminal struct {
	// Type is what TERM says, without what is not printed.
	Type string
	// Nameless says that this is no name of a terminal.
	Nameless bool

	mu            sync.Mutex
	width, height int
	resized       chan struct{}
}

// The largest terminal that is drawn for. What is larger stays empty: a session
// costs memory for each cell.
const (
	largestWidth  = 500
	largestHeight = 200
)

// Size returns the size in cells.
func (t *Terminal) Size() (width, height int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.width, t.height
}

// Resized is ready when the size has changed.
func (t *Terminal) Resized() <-chan struct{} { return t.resized }

// String names the terminal with its size.
func (t *Terminal) String() string {
	width, height := t.Size()
	return fmt.Sprintf("%s %dx%d", t.Type, width, height)
}

// setSize takes the size that the person's side tells. One that has no size is
// taken for the usual one.
func (t *Terminal) setSize(width, height uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if width == 0 || height == 0 {
		width, height = 80, 24
	}
	t.width, t.height = int(min(width, largestWidth)), int(min(height, largestHeight))
	select {
	case t.resized <- struct{}{}:
	default:
	}
}

func (t *Terminal) resize(payload []byte) bool {
	var size struct{ Width, Height, PixelWidth, PixelHeight uint32 }
	if ssh.Unmarshal(payload, &size) != nil {
		return false
	}
	t.setSize(size.Width, size.Height)
	return true
}

// terminalType is what a terminal is called.
var terminalType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`) })

func (s *session) takeTerminal(payload []byte) bool {
	var pty struct {
		Term                                   string
		Width, Height, PixelWidth, PixelHeight uint32
		Modes                                  string
	}
	if s.Terminal != nil || s.asked || ssh.Unmarshal(payload, &pty) != nil {
		return false
	}
	t := &Terminal{Type: Printable(pty.Term), Nameless: !terminalType().MatchString(pty.Term), resized: make(chan struct{}, 1)}
	if t.Nameless {
		pty.Term = "dumb"
	}
	t.setSize(pty.Width, pty.Height)
	<-t.resized
	s.Terminal = t
	s.Environ = append(s.Environ, "TERM="+pty.Term)
	return true
}

// variables say what a terminal shows. No others are taken.
var variables = map[string]bool{"COLORTERM": true, "LANG": true, "LC_ALL": true, "LC_CTYPE": true, "NO_COLOR": true}

// variableValue is what such a variable may say.
var variableValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._@-]{1,64}$`) })

func (s *session) takeVariable(payload []byte) bool {
	var env struct{ Name, Value string }
	if s.asked || ssh.Unmarshal(payload, &env) != nil || !variables[env.Name] || !variableValue().MatchString(env.Value) {
		return false
	}
	if len(s.Environ) > len(variables) {
		return false
	}
	s.Environ = append(s.Environ, env.Name+"="+env.Value)
	return true
}

// refuseVariable logs the name of a variable that is not taken. What it says may
// be a secret.
func (s *session) refuseVariable(payload []byte) bool {
	var env struct{ Name, Value string }
	_ = ssh.Unmarshal(payload, &env)
	s.conn.logRefusal("request", "env", "variable", Printable(env.Name))
	return false
}

// lines writes to a terminal in raw mode: each line feed returns the carriage.
type lines struct {
	w    io.Writer
	last byte
}

func (l *lines) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	var out bytes.Buffer
	out.Grow(len(b) + 16)
	for _, c := range b {
		if c == '\n' && l.last != '\r' {
			out.WriteByte('\r')
		}
		out.WriteByte(c)
		l.last = c
	}
	if _, err := l.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(b), nil
}
