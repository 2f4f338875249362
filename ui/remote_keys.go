package ui

import (
	"bytes"
	"context"
	"io"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

const (
	// longestSequence is the longest key or answer of a terminal, in bytes. What
	// is longer is not waited for.
	longestSequence = 256
	longestPaste    = 4 << 20
	// escapeTime is how long the rest of a sequence is waited for. The escape key
	// is the beginning of most of them.
	escapeTime = 50 * time.Millisecond
)

const (
	escape   = 0x1b
	pasteEnd = "\x1b[201~"
)

// keys makes events of what a terminal at another machine sends. The library's
// own reader believes its terminal: it keeps what has no end, and makes
// 65,535 keys of 17 bytes.
type keys struct {
	decoder uv.EventDecoder
	send    func(tea.Msg)
	held    []byte
	// pasted is the text of a paste that has not ended.
	pasting bool
	pasted  []byte
}

func (k *keys) stream(ctx context.Context, input io.Reader, aside func(func())) {
	chunks := make(chan []byte)
	aside(func() {
		defer close(chunks)
		readChunks(ctx, input, chunks)
	})
	var late <-chan time.Time
	for {
		select {
		case chunk, more := <-chunks:
			if !more {
				k.decode(true)
				return
			}
			k.held = append(k.held, chunk...)
			k.decode(false)
		case <-late:
			k.decode(true)
		}
		late = nil
		if len(k.held) > 0 && !k.pasting {
			late = time.After(escapeTime)
		}
	}
}

func readChunks(ctx context.Context, input io.Reader, chunks chan<- []byte) {
	buffer := make([]byte, 4096)
	for {
		n, err := input.Read(buffer)
		if err != nil {
			return
		}
		select {
		case chunks <- bytes.Clone(buffer[:n]):
		case <-ctx.Done():
			return
		}
	}
}

// decode sends what is complete. Expired says that nothing more came for a
// while: what is held is all there is.
func (k *keys) decode(expired bool) {
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
	if n == len(head) && (unknown || head[0] == escape && n <= 2 || head[n-1] == escape) {
		return true
	}
	return !utf8.FullRune(bytes.TrimLeft(head, string(rune(escape))))
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

// paste takes what is held as text, and reports whether it has an end. A text
// that is too long is not taken at all: a part of it would look like the whole.
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
	if !ended {
		return false
	}
	if len(k.pasted) > longestPaste {
		k.send(Notice{Text: "That is too long to be pasted here: nothing of it was taken."})
	} else {
		k.send(uv.PasteEvent{Content: string(bytes.ToValidUTF8(k.pasted, nil))})
	}
	k.pasting, k.pasted = false, nil
	return true
}

// repeatedKey returns the length of what b begins with if that is a key as
// Windows tells it to its own programs, with the number of times that it stands
// for. No terminal is asked to.
func repeatedKey(b []byte) int {
	rest := bytes.TrimLeft(b, string(rune(escape)))
	switch {
	case len(rest) == 0:
		return 0
	case rest[0] == '[' && len(rest) < len(b), rest[0] == 0x9b:
		rest = rest[1:]
	default:
		return 0
	}
	rest = bytes.TrimLeftFunc(rest, func(r rune) bool { return r >= ' ' && r <= '?' })
	if len(rest) == 0 || rest[0] != '_' {
		return 0
	}
	return len(b) - len(rest) + 1
}
