package api

import (
	"context"
	"errors"
	"net"
	"net/http"

	"tonne/api/wire"
)

// Retirer is a client that may also retire, which cannot be undone.
type Retirer struct{ *Client }

// NewRetirer returns a client that may retire. The errors are those of New.
func NewRetirer(o Options) (*Retirer, error) {
	c, err := New(o)
	if err != nil {
		return nil, err
	}
	return &Retirer{c}, nil
}

// RequestRetirement sends the body of a retirement call (interface section 4.5) once.
// The call may buy and retire, which cannot be undone. Only package retire may call
// RequestRetirement, after it has written the call to the journal.
//
// After an *Error, the call was not accepted or its outcome is unknown; HadNoEffect
// distinguishes them.
func (r *Retirer) RequestRetirement(ctx context.Context, body []byte) (wire.RetireAccepted, error) {
	answer, err := r.send(ctx, request{method: http.MethodPost, path: "api/caas/request-retirement", body: body})
	if err != nil {
		return wire.RetireAccepted{}, err
	}
	accepted, err := wire.DecodeRetireAccepted(answer.body)
	if err != nil {
		return wire.RetireAccepted{}, r.notTheAPI(err)
	}
	return accepted, nil
}

// HadNoEffect reports whether a retirement call that failed with err certainly had no
// effect: the service refused it, rejected its key, rate or address (401, 403, 429,
// 3xx), a proxy wants a password (407), or it was never sent. After any other error the outcome is unknown.
func HadNoEffect(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case Refused, Unauthorized, Forbidden, RateLimited:
		return true
	case Unreachable:
		return neverSent(e.Err)
	}
	return IsRefusal(err) || e.Status >= 300 && e.Status < 400 || e.Status == http.StatusProxyAuthRequired
}

func neverSent(err error) bool {
	var dial *net.OpError
	var proxy *proxyError
	return isUntrusted(err) || errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &proxy) ||
		errors.As(err, &dial) && (dial.Op == "dial" || dial.Op == "proxyconnect")
}
