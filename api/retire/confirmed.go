package retire

import (
	"fmt"
	"slices"
	"tonne/model/advice"

	"zombiezen.com/go/sqlite"
)

// Confirmed is a plan that the user confirmed for one request outside a batch.
type Confirmed struct {
	// Calls are all calls of the plan, in the order of sending.
	Calls []Call
	// Replaced are the external ids of unsent calls of an earlier plan, which Calls
	// replaces. A call that is also in Calls stays.
	Replaced []string
}

// Check returns ErrUnsettled or ErrChanged if the plan must not be confirmed in a journal that has these
// calls with its reference.
func (p Confirmed) Check(made []Call) error { return p.Calls[0].check(made, p.own()) }

func (p Confirmed) own() []string {
	own := slices.Clone(p.Replaced)
	for _, c := range p.Calls {
		own = append(own, c.ExternalID)
	}
	return own
}

func (j *journal) confirm(p Confirmed) error {
	if len(p.Calls) == 0 {
		return nil
	}
	return j.write(func(conn *sqlite.Conn) error {
		// All calls are for the same request and account.
		err := p.replace(conn, p.Calls[0].Account)
		if err == nil {
			err = checkBasis(conn, p.Calls[0], p.own())
		}
		for _, c := range p.Calls {
			if err == nil {
				err = prepare(conn, c, p.own())
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
		case !found || slices.ContainsFunc(p.Calls, func(c Call) bool { return c.ExternalID == id }):
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

// basis is what the plan of a line assumes of the journal.
type basis struct {
	// known are the calls with the reference of the line when they were read.
	known []Call
	// own are the external ids of the calls that the line sends or resumes itself.
	own []string
}

// checkBasis returns an error if a call must not be written, because other calls may serve
// the same request. It is part of the transaction that writes the call, for every way of
// retiring. own are further ids of the same plan. The error is
//
//   - ErrUnsettled if an open or Doubtful call has the same reference, or serves the same request
//     without one.
//   - ErrChanged if the calls with the reference are not those that the plan knew, in the
//     state in which it knew them.
func checkBasis(conn *sqlite.Conn, c Call, own []string) error {
	if !c.requestKnown() {
		return nil
	}
	made, err := list(conn, withReference(c.Reference), c.Account)
	if err != nil {
		return err
	}
	return c.check(made, own)
}

func (c Call) check(made []Call, own []string) error {
	own = append(slices.Clone(own), c.ExternalID)
	if c.basis != nil {
		own = append(own, c.basis.own...)
	}
	isOwn := func(made Call) bool { return slices.Contains(own, made.ExternalID) }
	made = slices.DeleteFunc(slices.Clone(made), isOwn)
	for _, m := range made {
		if (c.Reference != "" || m.Requests(c.Request)) && (m.Open() || m.Doubtful()) {
			return fmt.Errorf("%w: %s", ErrUnsettled, m.ExternalID)
		}
	}
	if c.Reference == "" || c.basis == nil {
		return nil
	}
	known := slices.DeleteFunc(slices.Clone(c.basis.known), isOwn)
	if !slices.EqualFunc(made, known, Call.unchanged) {
		return ErrChanged.withText(advice.Text{}, "%v: %s", ErrChanged, c.Reference)
	}
	return nil
}

func (c Call) unchanged(before Call) bool {
	return c.id == before.id && c.ExternalID == before.ExternalID && c.State == before.State &&
		c.GivenUp == before.GivenUp && c.Doubtful() == before.Doubtful()
}
