package retire

import (
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
)

// Confirmed is a plan that a person confirmed for one request, of no batch.
type Confirmed struct {
	// Calls are all calls of the plan, in the order in which they are to be sent.
	Calls []Call
	// Replaced are the external ids of calls of an earlier plan that were never
	// sent: these calls take their place. One that is among Calls stays.
	Replaced []string
	// Known is how many calls with their reference the plan counted on; below 0 without one.
	Known int
}

func (j *journal) confirm(p Confirmed) error {
	if len(p.Calls) == 0 {
		return nil
	}
	return j.write(func(conn *sqlite.Conn) error {
		// They serve the same request, for the same account.
		err := p.replace(conn, p.Calls[0].Account)
		if err == nil {
			err = p.asKnown(conn, p.Calls[0])
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
		case !found || has(p.Calls, id):
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

func (p Confirmed) asKnown(conn *sqlite.Conn, c Call) error {
	if err := unsettledFor(conn, c, p.Calls); err != nil || p.Known < 0 {
		return err
	}
	made, err := list(conn, withReference(c.Reference), c.Account)
	if err == nil && len(made) != p.Known {
		err = fmt.Errorf("%w: the journal has %d calls with its reference, and the plan knew of %d", ErrHeld, len(made), p.Known)
	}
	return err
}

// unsettledFor is ErrUnsettled if a call serves the same request as a new one, and is
// open or was given up while its outcome was unknown. A batch tells its calls apart by
// their ids, and a call without a request is like no other. A line of a batch always has
// a reference, and serves the request that a single retirement has under the same.
func unsettledFor(conn *sqlite.Conn, c Call, except []Call) error {
	if c.Batch != "" || c.Request == "" {
		return nil
	}
	calls, err := list(conn, withReference(c.Reference), c.Account)
	for _, made := range calls {
		if err == nil && made.Request == c.Request && (made.Open() || made.Doubtful()) && !has(except, made.ExternalID) {
			err = fmt.Errorf("%w: %s", ErrUnsettled, made.ExternalID)
		}
	}
	return err
}

func has(calls []Call, id string) bool {
	return slices.ContainsFunc(calls, func(c Call) bool { return c.ExternalID == id })
}
