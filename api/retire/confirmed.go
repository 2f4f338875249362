package retire

import (
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
)

// Confirmed is a plan that the user confirmed for one request outside a batch.
type Confirmed struct {
	// Calls are all calls of the plan, in the order of sending.
	Calls []Call
	// Replaced are the external ids of unsent calls of an earlier plan, which Calls
	// replaces. A call that is also in Calls stays.
	Replaced []string
	// Known is the number of calls with the reference that the plan assumed, or negative.
	Known int
}

func (j *journal) confirm(p Confirmed) error {
	if len(p.Calls) == 0 {
		return nil
	}
	return j.write(func(conn *sqlite.Conn) error {
		// All calls are for the same request and account.
		err := p.replace(conn, p.Calls[0].Account)
		if err == nil {
			err = p.checkUnchanged(conn, p.Calls[0])
		}
		for _, c := range p.Calls {
			if err == nil {
				err = prepare(conn, c, nil)
			}
		}
		return err
	})
}

func (p Confirmed) replace(conn *sqlite.Conn, a Account) error {
	for _, id := range p.Replaced {
		c, found, err := find(conn, a, id)
		switch {
		case err != nil:
			return err
		case !found || containsID(p.Calls, id):
			continue
		case c.State != Prepared:
			return fmt.Errorf("%w: %s", ErrHeld, id)
		}
		if err := giveUp(conn, c); err != nil {
			return err
		}
	}
	return nil
}

func (p Confirmed) checkUnchanged(conn *sqlite.Conn, c Call) error {
	if err := checkUnsettled(conn, c, p.Calls); err != nil || p.Known < 0 {
		return err
	}
	made, err := list(conn, withReference(c.Reference), c.Account)
	if err == nil && len(made) != p.Known {
		err = fmt.Errorf("%w: the journal has %d calls with its reference, and the plan knew of %d", ErrHeld, len(made), p.Known)
	}
	return err
}

// checkUnsettled returns ErrUnsettled if an open or Doubtful call serves the same request
// as a new call. It accepts a call of a batch, which has a derived id, and a call
// without a request. A line of a batch counts as well: it has a reference, and serves the
// same request as a single retirement with that reference.
func checkUnsettled(conn *sqlite.Conn, c Call, except []Call) error {
	if c.Batch != "" || c.Request == "" {
		return nil
	}
	calls, err := list(conn, withReference(c.Reference), c.Account)
	for _, made := range calls {
		if err == nil && made.Request == c.Request && (made.Open() || made.Doubtful()) && !containsID(except, made.ExternalID) {
			err = fmt.Errorf("%w: %s", ErrUnsettled, made.ExternalID)
		}
	}
	return err
}

func containsID(calls []Call, id string) bool {
	return slices.ContainsFunc(calls, func(c Call) bool { return c.ExternalID == id })
}
