package sshd

import (
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"

	"golang.org/x/crypto/ssh"
)

// Terminal is the terminal of a session.
type Terminal struct {
	// Type is the value of TERM, printable characters only.
	Type string
	// InvalidType reports that Type is not a valid terminal name.
	InvalidType bool

	size    atomic.Pointer[[2]int]
	resized chan struct{}
}

// Size returns the size in cells.
func (t *Terminal) Size() (width, height int) {
	if size := t.size.Load(); size != nil {
		return size[0], size[1]
	}
	return 0, 0
}

// Resized receives a value when the size has changed.
func (t *Terminal) Resized() <-chan struct{} { return t.resized }

// String returns the type and size, such as "xterm 80x24".
func (t *Terminal) String() string {
	width, height := t.Size()
	return fmt.Sprintf("%s %dx%d", t.Type, width, height)
}

func (t *Terminal) setSize(width, height uint32) {
	if width == 0 || height == 0 {
		width, height = 80, 24
	}
	// The limit bounds memory, because a session needs some for each cell.
	t.size.Store(&[2]int{int(min(width, 500)), int(min(height, 200))})
}

func (t *Terminal) resize(payload []byte) bool {
	var size struct{ Width, Height, PixelWidth, PixelHeight uint32 }
	if ssh.Unmarshal(payload, &size) != nil {
		return false
	}
	t.setSize(size.Width, size.Height)
	select {
	case t.resized <- struct{}{}:
	default:
	}
	return true
}

var terminalType = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`)
})

func (s *session) setTerminal(payload []byte) bool {
	var pty struct {
		Term                                   string
		Width, Height, PixelWidth, PixelHeight uint32
		Modes                                  string
	}
	if s.Terminal != nil || s.started.Load() || ssh.Unmarshal(payload, &pty) != nil {
		return false
	}
	t := &Terminal{Type: Printable(pty.Term), InvalidType: !terminalType().MatchString(pty.Term),
		resized: make(chan struct{}, 1)}
	if t.InvalidType {
		pty.Term = "dumb"
	}
	t.setSize(pty.Width, pty.Height)
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
	if err != nil || s.started.Load() || len(s.Environ) > len(variables) || !variables[env.Name] ||
		!variableValue().MatchString(env.Value) {
		// The value may be a secret.
		s.conn.logRefusal("request", "env", "variable", Printable(env.Name))
		return false
	}
	s.Environ = append(s.Environ, env.Name+"="+env.Value)
	return true
}
