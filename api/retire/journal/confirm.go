package journal

import (
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Confirmed is a plan that a person confirmed for one request, of no batch.
type Confirmed struct {
	// Calls are all calls of the plan, in the order in which they are to be sent.
	Calls []Call
	// Replaced are the external ids of calls of an earlier plan that were never
	// sent: these calls take their place. One that is among Calls stays.
	Replaced []string
	// Known is how many calls with their reference the plan counted on; below 0
	// for a retirement without a reference.
	Known int
}

// Confirm writes all calls of a plan, so that none is forgotten if the program dies,
// and gives up those whose place they take, all or none. It sends nothing.
//
// The error is ErrUnsettled if another call serves the same and is not settled,
// ErrHeld if another program planned or sent the same meanwhile, or ErrOtherBody.
func (j *Journal) Confirm(p Confirmed) error {
	return j.write(func(conn *sqlite.Conn) error {
		if len(p.Calls) == 0 {
			return nil
		}
		// They serve the same request, for the same account.
		if err := p.replace(conn, p.Calls[0].Account); err != nil {
			return err
		}
		if err := p.asKnown(conn, p.Calls[0]); err != nil {
			return err
		}
		for _, c := range p.Calls {
			if err := prepare(conn, c); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p Confirmed) replace(conn *sqlite.Conn, a Account) error {
	for _, id := range slices.DeleteFunc(slices.Clone(p.Replaced), p.has) {
		c, found, err := find(conn, a, id)
		switch {
		case err != nil:
			return err
		case !found:
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

// asKnown is an error if the journal has other calls of the request than the plan
// counted on.
func (p Confirmed) asKnown(conn *sqlite.Conn, c Call) error {
	if err := unsettledFor(conn, c, p.has); err != nil || p.Known < 0 {
		return err
	}
	made, err := list(conn, whereReferenced, c.Account.args(c.Reference)...)
	if err == nil && len(made) != p.Known {
		err = fmt.Errorf("%w: the journal has %d calls with its reference, and the plan knew of %d", ErrHeld, len(made), p.Known)
	}
	return err
}

func (p Confirmed) has(id string) bool {
	return slices.ContainsFunc(p.Calls, func(c Call) bool { return c.ExternalID == id })
}

// whereServes chooses the calls that serve a request. A line of a batch always has a
// reference, and serves the request that a single retirement has under the same.
const whereServes = `WHERE ` + ofAccount + `AND reference = ? AND wish = ? ORDER BY id`

const whereReferenced = `WHERE ` + ofAccount + `AND reference = ? ORDER BY id`

// Referenced returns the calls that have a reference, also of other requests, in the
// order in which they were prepared.
func (j *Journal) Referenced(a Account, reference string) ([]Call, error) {
	return j.list(whereReferenced, a.args(reference)...)
}

// unsettledFor is ErrUnsettled if a call serves the same request as a new one, and is
// open or was given up while its outcome was unknown. A batch tells its calls apart by
// their ids, and a call without a request is like no other.
func unsettledFor(conn *sqlite.Conn, c Call, except func(id string) bool) error {
	if c.Batch != "" || c.Request == "" {
		return nil
	}
	calls, err := list(conn, whereServes, c.Account.args(c.Reference, c.Request)...)
	for _, made := range calls {
		if err == nil && (made.Open() || made.Doubtful()) && !except(made.ExternalID) {
			err = fmt.Errorf("%w: %s", ErrUnsettled, made.ExternalID)
		}
	}
	return err
}

// giveUp leaves a call in doubt that was turned away: what answered may not have
// been what carries calls out.
func giveUp(conn *sqlite.Conn, c Call) error {
	return sqlitex.Execute(conn, `UPDATE call SET given_up = 1, unsure = max(unsure, ?) WHERE id = ?`, &sqlitex.ExecOptions{Args: []any{c.TurnedAway > 0, c.id}})
}
