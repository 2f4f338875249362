// Package mailbox hands work to a goroutine that owns some state.
package mailbox

import "sync"

// Mailbox keeps items, in the order in which they were posted, until its owner
// takes them. Everybody may post; one goroutine takes.
type Mailbox[T any] struct {
	mu    sync.Mutex
	items []T
	// some holds a token while there are items.
	some chan struct{}
}

// New returns an empty mailbox.
func New[T any]() *Mailbox[T] { return &Mailbox[T]{some: make(chan struct{}, 1)} }

// Post adds an item. It never waits.
func (m *Mailbox[T]) Post(item T) {
	m.mu.Lock()
	m.items = append(m.items, item)
	m.mu.Unlock()
	select {
	case m.some <- struct{}{}:
	default:
	}
}

// Some is ready when there may be items to take.
func (m *Mailbox[T]) Some() <-chan struct{} { return m.some }

// Take returns all items that are there, which may be none.
func (m *Mailbox[T]) Take() []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	items := m.items
	m.items = nil
	return items
}
