package sshd

import (
	"fmt"
	"regexp"
	"sync"

	"golang.org/x/crypto/ssh"
)

// Terminal is the terminal of a session.
type Terminal struct {
	// Type is the value of TERM, printable characters only.
	Type string
	// Nameless says that Type is not a name of a terminal.
	Nameless bool

	mu            sync.Mutex
	width, height int
	resized       chan struct{}
}

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

func (t *Terminal) setSize(width, height uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if width == 0 || height == 0 {
		width, height = 80, 24
	}
	// A session costs memory for each cell.
	t.width, t.height = int(min(width, 500)), int(min(height, 200))
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

var terminalType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`) })

func (s *session) setTerminal(payload []byte) bool {
	var pty struct {
		Term                                   string
		Width, Height, PixelWidth, PixelHeight uint32
		Modes                                  string
	}
	if s.Terminal != nil || s.started || ssh.Unmarshal(payload, &pty) != nil {
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

// variables are the names that a client may set.
var variables = map[string]bool{"COLORTERM": true, "LANG": true, "LC_ALL": true, "LC_CTYPE": true, "NO_COLOR": true}

var variableValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._@-]{1,64}$`) })

func (s *session) setVariable(payload []byte) bool {
	var env struct{ Name, Value string }
	err := ssh.Unmarshal(payload, &env)
	if err != nil || s.started || len(s.Environ) > len(variables) || !variables[env.Name] || !variableValue().MatchString(env.Value) {
		// The value may be a secret.
		s.conn.logRefusal("request", "env", "variable", Printable(env.Name))
		return false
	}
	s.Environ = append(s.Environ, env.Name+"="+env.Value)
	return true
}
