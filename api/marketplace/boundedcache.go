package marketplace

import (
	"bytes"
	"sync"
)

// entryCost is the overhead of an entry in bytes: the slot in the map, the key and the
// header. It is above the measured value.
const entryCost = 512

// boundedCache keeps values of at most limit bytes in total. If a new value does not fit,
// random others are evicted: keeping an order would cost every reader a write.
type boundedCache[K comparable, V any] struct {
	limit int
	// If the cache is full, only one in oneIn new values is kept. Otherwise a client that
	// repeatedly reads more than the limit would never hit the cache: each value would
	// evict the one that the client reads next.
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

// pageCache keeps pages of the market. A page is sent only if the transaction of the
// request finds it current (interface section 1.5).
type pageCache = boundedCache[pageKey, *marketPage]

type pageKey struct {
	page, perPage int
	// accepts is the compression that the client prefers.
	accepts coding
}

func fitted(body []byte) []byte {
	if cap(body)-len(body) > len(body)/4 {
		return bytes.Clone(body)
	}
	return body
}
