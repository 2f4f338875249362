package journal

import (
	"encoding/json"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const selectCall = `SELECT id, origin, profile, external_id, batch, reference, wish, plan, body, made_by, made_at,
	state, tries, unsure, request_id, code, message, given_up, owner, key_mark, turned_away, elsewhere FROM call `

// Unsettled returns the calls of an account that are open, and those that were given up
// while their outcome was unknown, in the order in which they were prepared.
func (j *Journal) Unsettled(a Account) (calls []Call, err error) {
	err = j.read(func(conn *sqlite.Conn) error {
		if calls, err = list(conn, whereUnsettled, a.args()...); err != nil {
			return err
		}
		for i, c := range calls {
			if calls[i].UnderWay, err = j.sends(c); err != nil {
				return err
			}
		}
		return nil
	})
	return calls, err
}

const whereUnsettled = `WHERE ` + ofAccount + `AND state IN ('prepared', 'sent', 'unknown')
	AND (NOT given_up OR unsure OR state = 'unknown') ORDER BY id`

// NotKnown returns those of Unsettled that may have had an effect, and that no
// program is sending. A call that was turned away and is not Unsure is not one.
func NotKnown(unsettled []Call) []Call {
	return slices.DeleteFunc(slices.Clone(unsettled), func(c Call) bool { return c.UnderWay || !c.Doubtful() })
}

// Batch returns the calls of an account that serve the requests of a batch, in
// the order in which they were prepared.
func (j *Journal) Batch(a Account, batch string) ([]Call, error) {
	return j.list(`WHERE `+ofAccount+`AND batch = ? ORDER BY id`, a.args(batch)...)
}

// All returns the calls of an account in the order in which they were
// prepared.
func (j *Journal) All(a Account) ([]Call, error) {
	return j.list(`WHERE `+ofAccount+`ORDER BY id`, a.args()...)
}

// Of returns the calls of a service, of all profiles, in the order in which
// they were prepared.
func (j *Journal) Of(origin string) ([]Call, error) {
	return j.list(`WHERE origin = ? ORDER BY id`, origin)
}

// TurnedAway reports whether the newest of the calls that were made with the key of
// an account, and that are done, refused or were turned away with an HTTP status, was
// turned away with it.
func (j *Journal) TurnedAway(a Account, status int) (bool, error) {
	calls, err := j.list(`WHERE origin = ? AND profile = ? AND key_mark = ? AND tries > 0
		AND (state IN ('done', 'refused') OR turned_away = ?) ORDER BY id DESC LIMIT 1`, a.Origin, a.Profile, a.KeyMark, status)
	return len(calls) > 0 && calls[0].TurnedAway == status, err
}

func (j *Journal) list(where string, args ...any) (calls []Call, err error) {
	err = j.read(func(conn *sqlite.Conn) error {
		calls, err = list(conn, where, args...)
		return err
	})
	return calls, err
}

func list(conn *sqlite.Conn, where string, args ...any) (calls []Call, err error) {
	err = sqlitex.Execute(conn, selectCall+where, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
		call, err := columns(stmt)
		calls = append(calls, call)
		return err
	}})
	return calls, err
}

func find(conn *sqlite.Conn, a Account, externalID string) (call Call, found bool, err error) {
	err = sqlitex.Execute(conn, selectCall+`WHERE `+ofAccount+`AND external_id = ? ORDER BY profile = ? DESC LIMIT 1`, &sqlitex.ExecOptions{
		Args: a.args(externalID, a.Profile),
		ResultFunc: func(stmt *sqlite.Stmt) (err error) {
			found = true
			call, err = columns(stmt)
			return err
		},
	})
	return call, found, err
}

func columns(stmt *sqlite.Stmt) (Call, error) {
	c := Call{
		id:         stmt.ColumnInt64(0),
		Account:    Account{stmt.ColumnText(1), stmt.ColumnText(2), stmt.ColumnText(19)},
		ExternalID: stmt.ColumnText(3), Batch: stmt.ColumnText(4), Reference: stmt.ColumnText(5), Request: stmt.ColumnText(6),
		Body:   make([]byte, stmt.ColumnLen(8)),
		MadeBy: stmt.ColumnText(9), MadeAt: time.UnixMilli(stmt.ColumnInt64(10)),
		State: State(stmt.ColumnText(11)), Tries: stmt.ColumnInt(12), Unsure: stmt.ColumnBool(13),
		RequestID: stmt.ColumnText(14), Code: stmt.ColumnText(15), Message: stmt.ColumnText(16), GivenUp: stmt.ColumnBool(17),
		owner: stmt.ColumnText(18), TurnedAway: stmt.ColumnInt(20), Elsewhere: stmt.ColumnBool(21),
	}
	stmt.ColumnBytes(8, c.Body)
	var p plan
	if err := json.Unmarshal([]byte(stmt.ColumnText(7)), &p); err != nil {
		return c, err
	}
	c.Plan = p.call()
	return c, nil
}

// Call returns the call with an external id. The error is ErrNoCall if there
// is none.
func (j *Journal) Call(a Account, externalID string) (call Call, err error) {
	err = j.read(func(conn *sqlite.Conn) error {
		var found bool
		call, found, err = find(conn, a, externalID)
		if err == nil && !found {
			return ErrNoCall
		}
		return err
	})
	return call, err
}
