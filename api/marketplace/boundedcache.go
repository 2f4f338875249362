package marketplace

import (
	"bytes"
	"sync"
)

// entryCost is what an entry costs beside the bytes that its owner counts: its
// place in the map, its key and its header. It is more than what was measured.
const entryCost = 512

// boundedCache keeps values of at most limit bytes in all. If a new one finds no room,
// others leave in no order: an order would cost every reader a write.
type boundedCache[K comparable, V any] struct {
	limit int
	// oneIn is how many new values that find no room it takes for one to be kept. A
	// client that reads more than there is room for, again and again, would find
	// nothing if each value drove out the one that is next in turn.
	oneIn int

	mu             sync.Mutex
	bytes, refused int
	values         map[K]costed[V]
}

type costed[V any] struct {
	value V
	bytes int
}

func (c *boundedCache[K, V]) get(key K) (value V, kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, kept := c.values[key]
	return found.value, kept
}

func (c *boundedCache[K, V]) put(key K, value V, bytes int) {
	bytes += entryCost
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.values[key]
	c.drop(key)
	if bytes > c.limit {
		return
	}
	if c.bytes+bytes > c.limit && !known {
		if c.refused++; c.refused%max(c.oneIn, 1) != 0 {
			return
		}
	}
	for other := range c.values {
		if c.bytes+bytes <= c.limit {
			break
		}
		c.drop(other)
	}
	if c.values == nil {
		c.values = make(map[K]costed[V])
	}
	c.values[key] = costed[V]{value, bytes}
	c.bytes += bytes
}

func (c *boundedCache[K, V]) drop(key K) {
	c.bytes -= c.values[key].bytes
	delete(c.values, key)
}

const (
	maxCachedPages = 32 << 20
	onePageIn      = 16
)

// pageCache keeps pages of the market. A page is the answer only after the transaction of
// the request has found it current (interface section 1.5).
type pageCache = boundedCache[pageKey, *marketPage]

type pageKey struct {
	page, perPage int
	// accepts is how the client takes a compressed body.
	accepts coding
}

func fitted(body []byte) []byte {
	if cap(body)-len(body) > len(body)/4 {
		return bytes.Clone(body)
	}
	return body
}
