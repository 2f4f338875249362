package demo

import (
	"net/http"

	"tonne/api"
)

// pendingKey is the transport to a marketplace that is still being created: requests
// wait until there is a key, so that the dashboard can start at once.
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

// RoundTrip sends a request as soon as there is a key.
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
