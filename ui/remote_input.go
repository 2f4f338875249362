package ui

import (
	"bytes"
	"io"
	"sync"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

const (
	// longestSequence limits an escape sequence from a terminal, in bytes.
	longestSequence = 256
	longestPaste    = 4 << 20
	// escapeTime is the wait for the rest of a sequence. Most sequences start with Escape.
	escapeTime = 50 * time.Millisecond
)

const (
	escape   = "\x1b"
	pasteEnd = "\x1b[201~"
)

// keys parses the input of a remote terminal. The library's reader trusts the terminal: it
// buffers unterminated sequences without a limit, turns 17 bytes into 65,535 keys, and blocks
// forever on a key after the end of the program, which leaks the program's memory.
type keys struct {
	decoder uv.EventDecoder
	send    func(tea.Msg)

	mu   sync.Mutex
	held []byte
	// pasted is the text of an unfinished paste.
	pasting bool
	pasted  []byte
}

func (k *keys) stream(input io.Reader, guard func(func())) {
	late := time.AfterFunc(escapeTime, func() { guard(func() { k.decode(nil, true) }) })
	defer late.Stop()
	silent := time.AfterFunc(pasteTime, func() { guard(k.endPaste) })
	defer silent.Stop()
	buffer := make([]byte, 4096)
	for {
		n, err := input.Read(buffer)
		late.Stop()
		silent.Stop()
		text, interrupted := bytes.CutSuffix(buffer[:n], []byte(interrupt))
		k.decode(text, err != nil)
		if interrupted {
			k.endPaste()
			k.decode([]byte(interrupt), err != nil)
		}
		if err != nil {
			return
		}
		late.Reset(escapeTime)
		silent.Reset(pasteTime)
	}
}

// decode sends the complete events in the buffer. If expired, it also sends the incomplete rest.
func (k *keys) decode(more []byte, expired bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held = append(k.held, more...)
	for len(k.held) > 0 {
		if k.pasting {
			if !k.paste() {
				return
			}
			continue
		}
		head := k.held[:min(len(k.held), longestSequence)]
		if n := repeatedKey(head); n > 0 {
			k.held = k.held[n:]
			continue
		}
		n, e := k.decoder.Decode(head)
		n = min(max(n, 1), len(head))
		if !expired && len(head) < longestSequence && unfinished(head, n, e) {
			return
		}
		k.held = k.held[n:]
		k.take(e)
	}
}

func unfinished(head []byte, n int, e uv.Event) bool {
	_, unknown := e.(uv.UnknownEvent)
	if n == len(head) && (unknown || head[0] == escape[0] && n <= 2 || head[n-1] == escape[0]) {
		return true
	}
	return !utf8.FullRune(bytes.TrimLeft(head, escape))
}

func (k *keys) take(e uv.Event) {
	switch e := e.(type) {
	case nil, uv.PasteEndEvent:
	case uv.PasteStartEvent:
		k.pasting = true
	case uv.MultiEvent:
		for _, one := range e {
			k.send(one)
		}
	default:
		k.send(e)
	}
}

// paste adds the buffer to the paste and reports whether the paste is complete. A too long paste is dropped.
func (k *keys) paste() (ended bool) {
	text, rest, ended := bytes.Cut(k.held, []byte(pasteEnd))
	if !ended {
		end := max(len(k.held)-len(pasteEnd)+1, 0)
		text, rest = k.held[:end], k.held[end:]
	}
	if len(k.pasted) <= longestPaste {
		k.pasted = append(k.pasted, text...)
	}
	k.held = rest
	if ended {
		k.sendPaste()
	}
	return ended
}

// endPaste ends a paste whose end did not arrive.
func (k *keys) endPaste() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pasting {
		k.pasted, k.held = append(k.pasted, k.held...), nil
		k.sendPaste()
	}
}

func (k *keys) sendPaste() {
	switch {
	case len(k.pasted) > longestPaste:
		k.send(Notice{Text: "The pasted text is too long. Nothing was pasted."})
	default:
		k.send(uv.PasteEvent{Content: string(bytes.ToValidUTF8(k.pasted, nil))})
	}
	k.pasting, k.pasted = false, nil
}

// repeatedKey returns the length of a key in Windows' format with a repeat count at the start of
// b, or 0. tonne does not enable that format.
func repeatedKey(b []byte) int {
	rest := bytes.TrimLeft(b, escape)
	parameters, csi := bytes.CutPrefix(rest, []byte("\x9b"))
	if !csi && len(rest) < len(b) {
		parameters, csi = bytes.CutPrefix(rest, []byte("["))
	}
	end := bytes.TrimLeftFunc(parameters, func(r rune) bool { return r >= ' ' && r <= '?' })
	if !csi || !bytes.HasPrefix(end, []byte("_")) {
		return 0
	}
	return len(b) - len(end) + 1
}
