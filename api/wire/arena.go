package wire

import "strings"

const arenaChunk = 4 << 10

// arena keeps short texts many to an object. All of a chunk lives as long as
// one of its texts.
type arena struct{ chunk *strings.Builder }

func (a *arena) keep(b []byte) string {
	if len(b) > arenaChunk/8 {
		return string(b)
	}
	if a.chunk == nil || a.chunk.Len()+len(b) > a.chunk.Cap() {
		a.chunk = &strings.Builder{}
		a.chunk.Grow(arenaChunk)
	}
	start := a.chunk.Len()
	a.chunk.Write(b)
	return a.chunk.String()[start:]
}
