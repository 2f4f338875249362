package exchange

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"tonne/model"
)

var (
	// ErrUnknownRequest is returned for an id that no retirement request has.
	ErrUnknownRequest = errors.New("there is no retirement request with that id")
	// ErrNotInProgress is returned for a request that the registry is not
	// processing.
	ErrNotInProgress = errors.New("only a retirement request that is IN_PROGRESS can be completed")
)

// Request is a retirement request of a tenant.
type Request struct {
	Number                  int64
	ID                      string
	Tenant, Vintage, Period int64
	Type                    model.RetirementType
	Status                  model.RetirementStatus
	Total                   model.Grams
	External                bool
}

type requests interface {
	Request(id string) (r Request, found bool, err error)
	// GatheringRequest is the FRACTIONALISED request of a vintage and period.
	GatheringRequest(tenant, vintage int64, p Period) (r Request, found bool, err error)
	// GatheringRequests are all that are OPEN, oldest first.
	GatheringRequests() ([]Request, error)
	// RequestsWaitingFor are the CLOSED ones of the invoice's tenant.
	RequestsWaitingFor(Invoice) ([]Request, error)
	// RequestsInProgress are all that are IN_PROGRESS, oldest first.
	RequestsInProgress() ([]Request, error)
	// IsSettled reports whether every invoice is paid that holds a purchase of
	// the request's vintage from before the request closed.
	IsSettled(Request) (bool, error)
	AddRequest(r Request, at time.Time) (number int64, err error)
	SetTotal(Request) error
	// CloseRequest takes down when a request stopped gathering, and with how
	// much.
	CloseRequest(r Request, total model.Grams, at time.Time) error
	// MoveRequest reports false where the request is not in the state from.
	MoveRequest(r Request, from, to model.RetirementStatus) (moved bool, err error)
	// CompleteRequest ends a request with the name of its certificate.
	CompleteRequest(r Request, certificate string, at time.Time) error
	// FirstRequest is what the first call of a tenant with an external id went
	// into: it never acts again.
	FirstRequest(tenant int64, externalID string) (id string, found bool, err error)
	AddExternalID(tenant int64, externalID string, r Request, item int64) error
}

// createRequest makes a request of a tenant: OPEN where fractions are
// gathered, CLOSED where it is whole (interface section 3).
func (c *Change) createRequest(r Request) (Request, error) {
	var err error
	if r.ID, err = c.NewID(requestID); err != nil {
		return Request{}, err
	}
	if r.Number, err = c.AddRequest(r, c.At); err != nil {
		return Request{}, err
	}
	if r.Status == model.Closed {
		if err := c.CloseRequest(r, r.Total, c.At); err != nil {
			return Request{}, err
		}
	}
	return r, c.audit("create request", r.ID, string(r.Status))
}

func (c *Change) transition(r Request, from, to model.RetirementStatus) error {
	moved, err := c.MoveRequest(r, from, to)
	if err != nil {
		return err
	}
	if !moved {
		return fmt.Errorf("retirement request %s is not %s", r.ID, from)
	}
	return c.audit("request status", r.ID, string(from)+" to "+string(to))
}

func (c *Change) processIfSettled(r Request) error {
	settled, err := c.IsSettled(r)
	if err != nil || !settled {
		return err
	}
	return c.transition(r, model.Closed, model.InProgress)
}

// Complete says that the registry has retired the credits of a request: it
// gets serial numbers that the exchange makes up, its date and its
// certificate. The error is ErrUnknownRequest or ErrNotInProgress.
func (c *Change) Complete(id string) error {
	r, err := c.InProgress(id)
	if err != nil {
		return err
	}
	return c.complete(r)
}

// InProgress finds the request with an id that the registry is processing. The
// error is ErrUnknownRequest or ErrNotInProgress.
func (c *Change) InProgress(id string) (Request, error) {
	r, found, err := c.Request(id)
	switch {
	case err != nil:
		return r, err
	case !found:
		return r, ErrUnknownRequest
	case r.Status != model.InProgress:
		return r, ErrNotInProgress
	}
	return r, nil
}

// CompleteAll completes every request that is IN_PROGRESS.
func (c *Change) CompleteAll() error {
	processed, err := c.RequestsInProgress()
	return all(processed, err, c.complete)
}

func (c *Change) complete(r Request) error {
	if err := c.assignSerials(r); err != nil {
		return err
	}
	return c.finish(r)
}

func (c *Change) finish(r Request) error {
	var secret [16]byte
	if _, err := io.ReadFull(c.Random, secret[:]); err != nil {
		return err
	}
	if err := c.CompleteRequest(r, hex.EncodeToString(secret[:]), c.At); err != nil {
		return err
	}
	return c.audit("request status", r.ID, string(model.InProgress)+" to "+string(model.Complete))
}
