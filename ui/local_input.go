package ui

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	pasteStart = "\x1b[200~"
	interrupt  = "\x03"
	// pasteTime is the silence after which a paste ends whose end did not arrive.
	pasteTime = time.Second
)

// localInput reads the terminal of the process for the library, which would buffer all input
// after the start of a paste until its end arrives. localInput ends such a paste after a
// second without input, and before a Ctrl-C at the end of the input.
type localInput struct {
	*os.File
	send func(tea.Msg)

	mu      sync.Mutex
	pasting bool
	// pasted is the text so far, or the last bytes before a paste.
	pasted []byte
	silent *time.Timer
	// sent reports that the text was sent while the library waits for the end of the paste, and
	// repeated that the library sends it again.
	sent, repeated bool
}

// newLocalInput returns the reader for the standard input, or nil if the library reads it as
// it is: it is no terminal, or Windows, where the console has no such paste.
func newLocalInput(in *os.File, send func(tea.Msg)) *localInput {
	if runtime.GOOS == "windows" {
		return nil
	}
	return &localInput{File: in, send: send}
}

// Read reads from the terminal. It leaves space for two ends of a paste.
func (l *localInput) Read(p []byte) (int, error) {
	most := len(p) - 2*len(pasteEnd)
	if most <= 0 {
		return l.File.Read(p)
	}
	n, err := l.File.Read(p[:most])
	return copy(p, l.follow(bytes.Clone(p[:n]))), err
}

// follow returns the input for the library.
func (l *localInput) follow(input []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.silent != nil {
		l.silent.Stop()
	}
	if l.sent && len(input) > 0 {
		l.repeated = true
		l.end()
		input = slices.Concat([]byte(pasteEnd), input)
	}
	for rest := input; len(rest) > 0; {
		rest = l.cut(rest)
	}
	if text, interrupted := bytes.CutSuffix(input, []byte(interrupt)); interrupted && l.pasting {
		l.end()
		input = slices.Concat(text, []byte(pasteEnd+interrupt))
	}
	if l.pasting {
		l.silent = time.AfterFunc(pasteTime, l.expire)
	}
	return input
}

func (l *localInput) end() { l.pasting, l.sent, l.pasted = false, false, nil }

// cut follows the input up to the next start or end of a paste, and returns the rest.
func (l *localInput) cut(input []byte) []byte {
	mark := pasteStart
	if l.pasting {
		mark = pasteEnd
	}
	// A mark may be split over two inputs.
	from := max(len(l.pasted)-len(mark)+1, 0)
	l.pasted = append(l.pasted, input...)
	if at := bytes.Index(l.pasted[from:], []byte(mark)); at >= 0 {
		rest := bytes.Clone(l.pasted[from+at+len(mark):])
		l.pasting, l.pasted = !l.pasting, nil
		return rest
	}
	if !l.pasting {
		l.pasted = l.pasted[max(len(l.pasted)-len(mark)+1, 0):]
	}
	return nil
}

// expire sends what was pasted.
func (l *localInput) expire() {
	l.mu.Lock()
	ended := l.pasting && !l.sent
	text := bytes.ToValidUTF8(l.pasted, nil)
	l.sent = l.sent || ended
	l.mu.Unlock()
	if ended {
		l.send(tea.PasteMsg{Content: string(text)})
	}
}

// isRepeated reports whether the library sends a paste that was sent before.
func (l *localInput) isRepeated(msg tea.Msg) bool {
	if _, ok := msg.(tea.PasteMsg); !ok {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	repeated := l.repeated
	l.repeated = false
	return repeated
}
