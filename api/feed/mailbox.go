package feed

import "sync"

// mailbox hands work to the loop in order. Posting never waits.
type mailbox struct {
	mu    sync.Mutex
	posts []func(*loop)
	// some holds a token while there are posts.
	some chan struct{}
}

func newMailbox() *mailbox { return &mailbox{some: make(chan struct{}, 1)} }

func (m *mailbox) post(f func(*loop)) {
	m.mu.Lock()
	m.posts = append(m.posts, f)
	m.mu.Unlock()
	wake(m.some)
}

func (m *mailbox) take() []func(*loop) {
	m.mu.Lock()
	defer m.mu.Unlock()
	posts := m.posts
	m.posts = nil
	return posts
}

// wake leaves a token in a channel with room for one.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
