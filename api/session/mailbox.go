package session

import "sync"

// mailbox keeps items, in the order in which they were posted, until its owner
// takes them. Any goroutine posts; one takes.
type mailbox[T any] struct {
	mu    sync.Mutex
	items []T
	some  chan struct{}
}

func newMailbox[T any]() *mailbox[T] { return &mailbox[T]{some: make(chan struct{}, 1)} }

func (m *mailbox[T]) post(item T) {
	m.mu.Lock()
	m.items = append(m.items, item)
	m.mu.Unlock()
	select {
	case m.some <- struct{}{}:
	default:
	}
}

func (m *mailbox[T]) take() []T {
	m.mu.Lock()
	defer m.mu.Unlock()
	items := m.items
	m.items = nil
	return items
}
