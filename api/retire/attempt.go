package retire

import (
	"zombiezen.com/go/sqlite"

	"tonne/model/file/dbfile"
)

// attempt is the right to send a call, until end. end does not wait for the disk: if
// the system fails before the next write, the outcome of the call is unknown, and a
// second attempt finds it out.
type attempt struct {
	// Call is the call before the attempt, and after end the call with its outcome.
	Call
	journal *journal
	sent    int
}

// begin writes to disk that this program is sending a call. After an error, nothing may
// be sent.
func (j *journal) begin(a Account, externalID string) (*attempt, error) {
	return j.attempt(a, externalID, func(*sqlite.Conn) error { return nil })
}

// start writes a call and begins it in one transaction, which waits for the disk once and
// includes what another program has sent since the journal was read.
func (j *journal) start(c Call) (*attempt, error) {
	return j.attempt(c.Account, c.ExternalID, func(conn *sqlite.Conn) error {
		return prepare(conn, c, nil)
	})
}

func (j *journal) attempt(a Account, externalID string, write func(*sqlite.Conn) error) (begun *attempt, err error) {
	err = j.write(func(conn *sqlite.Conn) error {
		if err := j.owner.begin(); err != nil {
			return err
		}
		if err := write(conn); err != nil {
			return err
		}
		call, err := j.take(conn, a, externalID)
		if err == nil {
			begun = &attempt{Call: call, journal: j, sent: 1}
			j.held[call.id] = true
		}
		return err
	})
	if err != nil && begun != nil {
		begun.release()
	}
	return begun, err
}

func (j *journal) take(conn *sqlite.Conn, a Account, externalID string) (Call, error) {
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
	return call, dbfile.Execute(conn, `UPDATE call SET state = ?, tries = tries + 1, unsure = 1, owner = ?,
		sent_at = iif(sent_at = 0, ?, sent_at) WHERE id = ?`,
		nil, string(state), j.owner.name, j.now().UnixMilli(), call.id)
}

func (j *journal) free(conn *sqlite.Conn, a Account, externalID string, open func(Call) bool) (Call, error) {
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

func (j *journal) sends(c Call) (bool, error) {
	if c.owner == "" || c.owner == j.owner.name || j.held[c.id] {
		return j.held[c.id], nil
	}
	return j.owner.isAlive(c.owner)
}

// outcome is the outcome of an attempt; see Call.
type outcome struct {
	// State is Done, Refused or Unknown, or Sent for a call that was not accepted: it was
	// turned away with an HTTP status, or there was no connection.
	State                    State
	RequestID, Code, Message string
	TurnedAway               int
	Elsewhere                bool
}

func (a *attempt) again() error {
	a.sent++
	return a.journal.writeSoon(`UPDATE call SET tries = tries + 1 WHERE id = ?`, a.id)
}

// end writes the outcome, and sets it in a.Call even if writing fails. A call that was
// not accepted remains Unknown if it was Unsure before. Without a connection, it keeps
// the TurnedAway of an earlier attempt.
func (a *attempt) end(e outcome) error {
	defer a.release()
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
	return a.journal.writeSoon(`UPDATE call SET state = ?, unsure = ?, request_id = ?, code = ?, message = ?, turned_away =
		?, elsewhere = ?, owner = '', answered_at = ? WHERE id = ?`,
		string(c.State), c.Unsure, c.RequestID, c.Code, c.Message, c.TurnedAway, c.Elsewhere,
		a.journal.now().UnixMilli(), c.id)
}

func (a *attempt) release() {
	a.journal.turn.Lock()
	defer a.journal.turn.Unlock()
	delete(a.journal.held, a.id)
}
