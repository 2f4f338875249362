package journal

import (
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// end is what became of a call.
type end struct {
	id                       int64
	state                    State
	requestID, code, message string
}

func (e end) write(conn *sqlite.Conn) error {
	return sqlitex.Execute(conn, `UPDATE call SET state = ?, unsure = ?, request_id = ?, code = ?, message = ?, owner = '' WHERE id = ?`,
		&sqlitex.ExecOptions{Args: []any{string(e.state), e.state == Unknown, e.requestID, e.code, e.message, e.id}})
}

// Together has each call that is done from now on written down with the one that
// is begun next, in one transaction. What is left is written down by written,
// which ends that; its error is that of the disk.
//
// A program that dies in between leaves a call that is done as one whose outcome
// is not known, and the service says it again when it is sent again. What else
// becomes of a call is written down at once, since a second answer would not tell
// as much: of a refusal, that no try of before had its effect; of a call that
// another journal made, that it was not this one.
func (j *Journal) Together() (written func() error) {
	j.turn.Lock()
	defer j.turn.Unlock()
	j.together = true
	return func() error {
		j.turn.Lock()
		left := j.done
		j.together, j.done = false, nil
		j.turn.Unlock()
		if len(left) == 0 {
			return nil
		}
		return j.writeSoon(func(conn *sqlite.Conn) error { return writeAll(conn, left) })
	}
}

// waits reports whether an end is left to the next transaction.
func (j *Journal) waits(e end) bool {
	j.turn.Lock()
	defer j.turn.Unlock()
	waits := j.together && e.state == Done && e.message == ""
	if waits {
		j.done = append(j.done, e)
	}
	return waits
}

func writeAll(conn *sqlite.Conn, ends []end) error {
	for _, e := range ends {
		if err := e.write(conn); err != nil {
			return err
		}
	}
	return nil
}
