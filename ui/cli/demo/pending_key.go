package demo

import (
	"net/http"

	"tonne/api"
)

// pendingKey is the way to a marketplace that is still being made: requests
// wait until it has a key for them, so that the dashboard does not have to.
type pendingKey struct {
	http.Transport
	ready chan struct{}
	key   string
	err   error
}

func newPendingKey() *pendingKey { return &pendingKey{ready: make(chan struct{})} }

func (p *pendingKey) arrive(key string, err error) {
	p.key = key
	if err != nil {
		p.err = &api.Error{Kind: api.Unreachable, Message: err.Error(), Err: err}
	}
	close(p.ready)
}

// RoundTrip makes a request once there is a key for it.
func (p *pendingKey) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-p.ready:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if p.err != nil {
		return nil, p.err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+p.key)
	return p.Transport.RoundTrip(r)
}
