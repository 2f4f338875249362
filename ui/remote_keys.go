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
	// longestSequence is the longest key or answer of a terminal that is waited for, in bytes.
	longestSequence = 256
	longestPaste    = 4 << 20
	// escapeTime is how long the rest of a sequence is waited for: Escape begins most of them.
	escapeTime = 50 * time.Millisecond
)

const (
	escape   = "\x1b"
	pasteEnd = "\x1b[201~"
)

// keys makes events of what a terminal at another machine sends. The library's
// own reader believes its terminal: it keeps what has no end, and makes
// 65,535 keys of 17 bytes. It waits for ever with a key that nobody takes when the
// program has ended, which keeps all that the program held.
type keys struct {
	decoder uv.EventDecoder
	send    func(tea.Msg)

	mu   sync.Mutex
	held []byte
	// pasted is the text of a paste that has not ended.
	pasting bool
	pasted  []byte
}

func (k *keys) stream(input io.Reader, guard func(func())) {
	late := time.AfterFunc(escapeTime, func() { guard(func() { k.decode(nil, true) }) })
	defer late.Stop()
	buffer := make([]byte, 4096)
	for {
		n, err := input.Read(buffer)
		late.Stop()
		k.decode(buffer[:n], err != nil)
		if err != nil {
			return
		}
		late.Reset(escapeTime)
	}
}

// decode sends what is complete, and if expired all that is held.
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

// paste takes what is held as text, and reports whether it has an end. Too long a text is not taken at all.
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
	switch {
	case !ended:
		return false
	case len(k.pasted) > longestPaste:
		k.send(Notice{Text: "That is too long to be pasted here: nothing of it was taken."})
	default:
		k.send(uv.PasteEvent{Content: string(bytes.ToValidUTF8(k.pasted, nil))})
	}
	k.pasting, k.pasted = false, nil
	return true
}

// repeatedKey returns the length of what b begins with if that is a key as Windows tells it,
// with the number of times that it stands for. No terminal is asked to.
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
