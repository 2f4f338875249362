package retire

import (
	"slices"

	"zombiezen.com/go/sqlite"

	"tonne/model/file/dbfile"
	"tonne/model/fold"
)

// Query returns a clause of SQL that selects calls for an account.
type Query func(Account) (clause string, args []any)

// OfAccount selects the calls of the account, in the order of preparation.
func OfAccount(a Account) (clause string, args []any) { return ofAccount(`ORDER BY id`)(a) }

// OfService selects the calls of all accounts to the service, in the order of preparation.
func OfService(a Account) (clause string, args []any) {
	return `WHERE origin = ? ORDER BY id`, []any{a.Origin}
}

// UnsettledOf selects the unsettled calls of the account a, whatever account queries.
func UnsettledOf(a Account) Query { return func(Account) (string, []any) { return notSettled(a) } }

var notSettled = ofAccount(`AND state IN ('prepared', 'sent', 'unknown')
	AND (NOT given_up OR unsure OR state = 'unknown') ORDER BY id`)

// withReference selects the calls with a reference.
func withReference(reference string) Query {
	return ofAccount(`AND identity = ? ORDER BY id`, fold.Identity(reference))
}

// ofAccount selects the calls with the address and the profile of the account, or with its key.
func ofAccount(clause string, args ...any) Query {
	return func(a Account) (string, []any) {
		return `WHERE (origin = ? AND profile = ? OR key_mark <> '' AND key_mark = ?) ` + clause,
			append([]any{a.Origin, a.Profile, a.KeyMark}, args...)
	}
}

// NotKnown returns the unsettled calls that may have taken effect and that no program is
// sending. It omits calls that were turned away, unless they are Unsure.
func NotKnown(unsettled []Call) []Call {
	return slices.DeleteFunc(slices.Clone(unsettled), func(c Call) bool { return c.UnderWay || !c.Doubtful() })
}

func list(conn *sqlite.Conn, q Query, a Account) (calls []Call, err error) {
	clause, args := q(a)
	err = dbfile.Execute(conn, `SELECT * FROM call `+clause,
		func(stmt *sqlite.Stmt) { calls = append(calls, readCall(stmt)) }, args...)
	return calls, err
}

func withID(externalID string) Query {
	return func(a Account) (string, []any) {
		return ofAccount(`AND external_id = ? ORDER BY origin = ? AND profile = ? DESC LIMIT 1`,
			externalID, a.Origin, a.Profile)(a)
	}
}

func find(conn *sqlite.Conn, a Account, externalID string) (call Call, found bool, err error) {
	calls, err := list(conn, withID(externalID), a)
	if err != nil || len(calls) == 0 {
		return Call{}, false, err
	}
	return calls[0], true, nil
}
