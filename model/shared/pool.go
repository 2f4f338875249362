// Package shared has values that several hold, each of them once.
package shared

import (
	"maps"
	"sync"
	"weak"
)

// Pool has values by keys, and keeps none alive. It may be used from any
// goroutine. The zero value is an empty one; a nil one shares nothing.
type Pool[K comparable, V any] struct {
	mu    sync.Mutex
	known map[K]weak.Pointer[V]
	// crowded is how many there may be before those are left out that nobody
	// holds any more.
	crowded int
}

// One returns what take makes of the value with a key that somebody holds, which
// is nil for none, and keeps that in its place unless it is nil. Who calls waits
// for whoever called before, so take is quick. The value must not be changed any
// more.
func (p *Pool[K, V]) One(key K, take func(known *V) *V) *V {
	if p == nil {
		return take(nil)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.known[key].Value()
	taken := take(known)
	if taken != nil && taken != known {
		p.put(key, taken)
	}
	return taken
}

func (p *Pool[K, V]) put(key K, value *V) {
	if len(p.known) >= p.crowded {
		maps.DeleteFunc(p.known, func(_ K, v weak.Pointer[V]) bool { return v.Value() == nil })
		p.crowded = 2*len(p.known) + 100
	}
	if p.known == nil {
		p.known = make(map[K]weak.Pointer[V])
	}
	p.known[key] = weak.Make(value)
}
