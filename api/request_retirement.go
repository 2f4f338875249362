package api

import (
	"context"
	"errors"
	"net"
	"net/http"

	"tonne/api/wire"
)

// ErrMayNotRetire is wrapped by an error of kind Refused if the client was not
// allowed to retire.
var ErrMayNotRetire = errors.New("retiring is not switched on")

// RequestRetirement sends the body of a retirement call (interface section
// 4.5), once. It may buy and retire, and that cannot be undone: package retire
// alone calls it, which has written the call down before.
//
// An *Error means that the call was not accepted, or that its outcome is
// unknown: see HadNoEffect.
func (c *Client) RequestRetirement(ctx context.Context, body []byte) (wire.RetireAccepted, error) {
	if !c.mayRetire {
		e := refused(ErrMayNotRetire.Error())
		e.Err = ErrMayNotRetire
		return wire.RetireAccepted{}, e
	}
	answer, err := c.send(ctx, request{method: http.MethodPost, path: "api/caas/request-retirement", body: body})
	if err != nil {
		return wire.RetireAccepted{}, err
	}
	accepted, err := wire.DecodeRetireAccepted(answer.body)
	if err != nil {
		return wire.RetireAccepted{}, c.notTheAPI(err)
	}
	return accepted, nil
}

// HadNoEffect reports whether a retirement call that failed with err was refused
// by the service, turned away because of its key, its rate or its address (401,
// 403, 429, 3xx), or never sent. After any other failure the outcome is unknown.
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
	return IsRefusal(err) || e.Status >= 300 && e.Status < 400
}

func neverSent(err error) bool {
	var dial *net.OpError
	return isUntrusted(err) || errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &dial) && dial.Op == "dial"
}
