package journal

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

var (
	// ErrNoCall is returned for an external id that is not in the journal.
	ErrNoCall = errors.New("the journal has no such call")
	// ErrHeld is returned while another attempt at the call is under way, of
	// this program or of another one that lives.
	ErrHeld = errors.New("another program is making this call")
	// ErrEnded is returned for a call whose end is known, or that was given up.
	ErrEnded = errors.New("the call has ended")
	// ErrUnsettled is returned for a new call if another one, of no batch, serves
	// the same request with the same reference and is not settled.
	ErrUnsettled = errors.New("another call for the same is not settled")
	// ErrNotSent is returned by Settle for a call that a person calls carried out, and
	// that was never sent.
	ErrNotSent = errors.New("the call was never sent")
)

// Attempt is the right to send a call, until End. End does not wait for the disk: if
// the system fails before the next write, the outcome of the call is unknown, and
// sending it again finds it out.
type Attempt struct {
	// Call is the call as it was before the attempt, and after End as it is.
	Call    Call
	journal *Journal
	// sent counts how often the attempt sent it.
	sent int
}

// Begin records that a call is being sent, and by which program. When it returns,
// that is on disk. The error is ErrNoCall, ErrHeld, ErrEnded or ErrOtherKey, or
// that of the disk: then nothing may be sent.
func (j *Journal) Begin(a Account, externalID string) (*Attempt, error) {
	return j.attempt(func(conn *sqlite.Conn) (Call, error) { return j.take(conn, a, externalID) })
}

// Start writes a call down and begins it at once, which waits for the disk once.
// The errors are those of Begin, ErrOtherBody and ErrUnsettled: it sees what another
// program has sent since the journal was read.
func (j *Journal) Start(c Call) (*Attempt, error) {
	return j.attempt(func(conn *sqlite.Conn) (Call, error) {
		there, err := sameBody(conn, c)
		switch {
		case err != nil:
			return c, err
		case there:
			return j.take(conn, c.Account, c.ExternalID)
		}
		if err := unsettledFor(conn, c, func(string) bool { return false }); err != nil {
			return c, err
		}
		c.State, c.Tries, c.Unsure, c.owner = Sent, 1, true, j.owner.name
		if err := insert(conn, c); err != nil {
			return c, err
		}
		c.State, c.Tries, c.Unsure, c.id = Prepared, 0, false, conn.LastInsertRowID()
		return c, nil
	})
}

func (j *Journal) attempt(fn func(*sqlite.Conn) (Call, error)) (*Attempt, error) {
	var a *Attempt
	err := j.write(func(conn *sqlite.Conn) error {
		if err := j.owner.begin(); err != nil {
			return err
		}
		call, err := fn(conn)
		if err == nil {
			a = &Attempt{Call: call, journal: j, sent: 1}
			j.held[call.id] = true
		}
		return err
	})
	if err != nil && a != nil {
		j.release(a.Call.id)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

func (j *Journal) take(conn *sqlite.Conn, a Account, externalID string) (Call, error) {
	call, err := j.free(conn, a, externalID, Call.Open)
	if err == nil && call.KeyMark != "" && call.KeyMark != a.KeyMark {
		err = ErrOtherKey
	}
	if err != nil {
		return call, err
	}
	state := call.State
	if state == Prepared {
		state = Sent
	}
	return call, sqlitex.Execute(conn, `UPDATE call SET state = ?, tries = tries + 1, unsure = 1, owner = ? WHERE id = ?`,
		&sqlitex.ExecOptions{Args: []any{string(state), j.owner.name, call.id}})
}

func (j *Journal) free(conn *sqlite.Conn, a Account, externalID string, open func(Call) bool) (Call, error) {
	call, found, err := find(conn, a, externalID)
	switch {
	case err != nil:
		return call, err
	case !found:
		return call, ErrNoCall
	case !open(call):
		return call, ErrEnded
	}
	held, err := j.sends(call)
	if held && err == nil {
		err = ErrHeld
	}
	return call, err
}

func (j *Journal) sends(c Call) (bool, error) {
	if c.owner == "" || c.owner == j.owner.name || j.held[c.id] {
		return j.held[c.id], nil
	}
	return j.owner.lives(c.owner)
}

// Ending is the outcome of an attempt. A Message belongs to what the service, or
// something in front of it, answered.
type Ending struct {
	// State is Done, Refused, Unknown, or Sent for a call that was not accepted: it was
	// turned away with an HTTP status, or there was no connection.
	State State
	// RequestID and Elsewhere are of a call that is done, Code of one that was refused,
	// TurnedAway of one that was not accepted or is unknown; see Call.
	RequestID, Code, Message string
	TurnedAway               int
	Elsewhere                bool
}

// Again records that the call is sent once more, and does not wait for the
// disk. The error is that of the disk: then it is not to be sent again.
func (a *Attempt) Again() error {
	a.sent++
	return a.journal.writeSoon(func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `UPDATE call SET tries = tries + 1 WHERE id = ?`, &sqlitex.ExecOptions{Args: []any{a.Call.id}})
	})
}

// End writes the outcome down; a.Call has it, written or not. A call that was not
// accepted and was Unsure before stays Unknown, and one without a connection keeps
// that an earlier attempt was turned away.
func (a *Attempt) End(e Ending) error {
	defer a.journal.release(a.Call.id)
	c := &a.Call
	if e.State == Sent && e.TurnedAway == 0 && c.TurnedAway > 0 {
		e.TurnedAway, e.Message = c.TurnedAway, c.Message
	}
	if e.State == Sent && c.Unsure {
		e.State = Unknown
	}
	c.State, c.Unsure, c.RequestID, c.Elsewhere = e.State, e.State == Unknown, e.RequestID, e.Elsewhere
	c.Code, c.Message, c.TurnedAway, c.owner = e.Code, e.Message, e.TurnedAway, ""
	c.Tries += a.sent
	return a.journal.writeSoon(func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `UPDATE call SET state = ?, unsure = ?, request_id = ?, code = ?, message = ?, turned_away = ?, elsewhere = ?, owner = '' WHERE id = ?`,
			&sqlitex.ExecOptions{Args: []any{string(c.State), c.Unsure, c.RequestID, c.Code, c.Message, c.TurnedAway, c.Elsewhere, c.id}})
	})
}

func (j *Journal) release(id int64) {
	j.turn.Lock()
	defer j.turn.Unlock()
	delete(j.held, id)
}

// GiveUp records that a person does not want a call sent any more. An effect that it
// had stays. The errors are those of Begin, without ErrOtherKey.
func (j *Journal) GiveUp(a Account, externalID string) error {
	return j.write(func(conn *sqlite.Conn) error {
		call, err := j.free(conn, a, externalID, Call.Open)
		if err != nil {
			return err
		}
		return giveUp(conn, call)
	})
}

// Settle records what a person found out about a call whose outcome is unknown,
// also if it was given up: it went into the retirement request, or, if that is empty,
// it was never carried out. Who is the person. The errors
// are those of GiveUp, and ErrNotSent.
func (j *Journal) Settle(a Account, externalID, requestID, who string) error {
	state, said := Done, "carried out, as "+who+" found out"
	if requestID == "" {
		state, said = Refused, "not carried out, as "+who+" found out"
	}
	return j.write(func(conn *sqlite.Conn) error {
		call, err := j.free(conn, a, externalID, Call.unsettled)
		if err == nil && call.State == Prepared && state == Done {
			err = fmt.Errorf("%w: %s", ErrNotSent, externalID)
		}
		if err != nil {
			return err
		}
		return sqlitex.Execute(conn, `UPDATE call SET state = ?, unsure = 0, request_id = ?, code = '', message = ?, turned_away = 0, owner = '' WHERE id = ?`,
			&sqlitex.ExecOptions{Args: []any{string(state), requestID, said, call.id}})
	})
}
