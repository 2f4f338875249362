package ledger

import (
	"cmp"

	"tonne/api/session"
	"tonne/model"
	"tonne/ui/tab"
)

// Row is a request as the ledger shows it. It is never changed.
type Row struct {
	*session.Request
	// project is the name of the project whose credits it retires.
	project string
	// reference is what the books of whoever retired it call it.
	reference string
	// brief is the reference in a line.
	brief string
	// lookingUp says that a look-up is under way, or that the person waits for
	// one; fired that a rule on the request has fired since somebody looked.
	lookingUp, fired bool
	// checks are how the checks that are known here came out.
	checks tally
	// found is what the search found of it; nil if nobody searches.
	found *Found
}

// Found is what the search found of the request; nil if nobody searches.
func (r Row) Found() *Found { return r.found }

// Called is the label of a request: the person's own, or else what the books of
// whoever retired it call it; empty for none.
func (r Row) Called() string { return cmp.Or(r.Label, r.brief) }

// Name is the label of a request, or its id.
func (r Row) Name() string { return cmp.Or(r.Called(), r.ID) }

// LookingUp reports whether a look-up is under way, or the person waits for
// one.
func (r Row) LookingUp() bool { return r.lookingUp }

var unanswered = model.Retirement{TotalQuantity: model.UnknownGrams}

func (r Row) answer() *model.Retirement { return cmp.Or(r.Answer, &unanswered) }

// State is what is known of the request, in a word or two.
func (r Row) State() string {
	switch {
	case r.Answer != nil:
		return r.Answer.Status.Words()
	case r.Err != nil:
		return tab.Brief(r.Err)
	case r.lookingUp:
		return "looking up"
	}
	return "not yet"
}

// missed reports whether the last look-up failed though another may do better:
// nothing is known of how the request is now.
func (r Row) missed() bool {
	if r.Err == nil {
		return false
	}
	why := failure(r.Err)
	return why != notFound && why != notAccepted
}

type rows []Row

func (r rows) Len() int         { return len(r) }
func (r rows) Key(i int) string { return r[i].ID }
func (r rows) At(i int) Row     { return r[i] }
