package retire

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/dbfile"
)

// busyTimeout is how long a statement waits while another program writes.
const busyTimeout = 10 * time.Second

// applicationID marks a file as a journal of tonne.
const applicationID = 0x746f6e6a

//go:embed schema/*.sql
var schemaFiles embed.FS

// kind has the migrations. A released migration is never changed.
var kind = sync.OnceValue(func() dbfile.Kind {
	return dbfile.Kind{AppID: applicationID, Migrations: dbfile.Steps(schemaFiles, "schema/*.sql")}
})

// journal is a file of calls. Several programs may use it at once. Each call is on disk
// before its first byte is sent, with the id that makes a second attempt harmless, and
// stays there with its outcome. A call that cannot be written is not sent.
type journal struct {
	// turn guards the fields below.
	turn  sync.Mutex
	conn  *sqlite.Conn
	owner *owner
	// held has the calls for which this journal has an attempt.
	held map[int64]bool
}

func openJournal(ctx context.Context, path string) (*journal, error) {
	conn, err := openFile(ctx, path)
	if err != nil {
		return nil, openError(path, err)
	}
	return &journal{conn: conn, owner: &owner{dir: ownersDir(path)}, held: make(map[int64]bool)}, nil
}

func openError(path string, err error) error {
	if _, ok := errors.AsType[*dbfile.ForeignError](err); ok {
		return err
	}
	path = filepath.Clean(path)
	switch code := sqlite.ErrCode(err).ToPrimary(); {
	case code == sqlite.ResultBusy:
		return fmt.Errorf("%s: %w: %w", path, ErrLocked, err)
	case slices.Contains([]sqlite.ResultCode{sqlite.ResultFull, sqlite.ResultReadOnly, sqlite.ResultIOErr, sqlite.ResultCantOpen}, code),
		errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s: %w: %w", path, ErrDisk, err)
	}
	return fmt.Errorf("the journal %s cannot be used: %w", path, err)
}

func openFile(ctx context.Context, path string) (*sqlite.Conn, error) {
	made, err := kind().Claim(path)
	if err != nil {
		return nil, err
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(busyTimeout)
	for start := time.Now(); ; time.Sleep(busyTimeout / 1000) {
		longest := busyTimeout
		if err = checkEmptied(conn, path); err == nil {
			err = kind().Prepare(ctx, conn, busyTimeout)
		} else if errors.Is(err, ErrEmptied) {
			longest /= 10
		}
		switch busy := sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy || errors.Is(err, ErrEmptied); {
		case err == nil:
			return conn, nil
		case busy && time.Since(start) < longest:
			// SQLite does not wait for another program that creates the file.
			continue
		}
		err = errors.Join(err, conn.Close())
		made.Remove()
		return nil, err
	}
}

// checkEmptied returns ErrEmptied for an empty file that once contained calls.
func checkEmptied(conn *sqlite.Conn, path string) error {
	if _, err := os.Lstat(ownersDir(path)); err != nil {
		return nil
	}
	// For a file of no bytes, a query would make SQLite delete the log.
	if info, err := os.Lstat(path); err != nil || info.Size() == 0 {
		return cmp.Or[error](err, ErrEmptied)
	}
	id := int64(0)
	err := sqlitex.ExecuteTransient(conn, `PRAGMA application_id`, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		id = stmt.ColumnInt64(0)
		return nil
	}})
	if err == nil && id == 0 {
		err = ErrEmptied
	}
	return err
}

// close leaves unfinished attempts in the same state as a killed program does.
func (j *journal) close() error {
	j.turn.Lock()
	defer j.turn.Unlock()
	return errors.Join(j.owner.end(), j.conn.Close())
}

// write calls fn in a transaction. If write returns nil, the transaction is on disk.
// Otherwise it had no effect, and the error is ErrDisk, ErrLocked or a Problem of fn.
func (j *journal) write(fn func(*sqlite.Conn) error) error {
	j.turn.Lock()
	defer j.turn.Unlock()
	return diskError(j.transact("BEGIN IMMEDIATE", fn))
}

// writeSoon executes a statement without waiting for the disk. The change survives this
// program, and reaches the disk with the next write.
func (j *journal) writeSoon(statement string, args ...any) error {
	j.turn.Lock()
	defer j.turn.Unlock()
	if err := sqlitex.Execute(j.conn, "PRAGMA synchronous = NORMAL", nil); err != nil {
		return diskError(err)
	}
	err := sqlitex.Execute(j.conn, statement, &sqlitex.ExecOptions{Args: args})
	return diskError(errors.Join(err, sqlitex.Execute(j.conn, "PRAGMA synchronous = FULL", nil)))
}

func (j *journal) transact(begin string, fn func(*sqlite.Conn) error) error {
	if err := sqlitex.Execute(j.conn, begin, nil); err != nil {
		return err
	}
	err := fn(j.conn)
	if err == nil {
		err = sqlitex.Execute(j.conn, "COMMIT", nil)
	}
	// A full disk may have caused a rollback already.
	if err != nil && !j.conn.AutocommitEnabled() {
		err = errors.Join(err, sqlitex.Execute(j.conn, "ROLLBACK", nil))
	}
	return err
}

func diskError(err error) error {
	_, named := errors.AsType[*Problem](err)
	switch {
	case err == nil || named:
		return err
	case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy:
		return fmt.Errorf("%w: %w", ErrLocked, err)
	}
	return fmt.Errorf("%w: %w", ErrDisk, err)
}

const selectCall = `SELECT id, origin, profile, external_id, batch, reference, wish, plan, body, made_by, made_at,
	state, tries, unsure, request_id, code, message, given_up, owner, key_mark, turned_away, elsewhere FROM call `

// Query returns a clause of SQL that selects calls for an account.
type Query func(Account) (clause string, args []any)

// OfAccount selects the calls of the account, in the order of preparation.
func OfAccount(a Account) (clause string, args []any) { return ofAccount(`ORDER BY id`)(a) }

// OfService selects the calls of all accounts to the service, in the order of preparation.
func OfService(a Account) (clause string, args []any) {
	return `WHERE origin = ? ORDER BY id`, []any{a.Origin}
}

// OfBatch selects the calls of a batch, in the order of preparation.
func OfBatch(name string) Query { return ofAccount(`AND batch = ? ORDER BY id`, name) }

// UnsettledOf selects the unsettled calls of the account a, whatever account queries.
func UnsettledOf(a Account) Query { return func(Account) (string, []any) { return notSettled(a) } }

var notSettled = ofAccount(`AND state IN ('prepared', 'sent', 'unknown') AND (NOT given_up OR unsure OR state = 'unknown') ORDER BY id`)

func withReference(reference string) Query {
	return ofAccount(`AND reference = ? ORDER BY id`, reference)
}

func ofAccount(clause string, args ...any) Query {
	return func(a Account) (string, []any) {
		return `WHERE origin = ? AND (profile = ? OR key_mark <> '' AND key_mark = ?) ` + clause, append([]any{a.Origin, a.Profile, a.KeyMark}, args...)
	}
}

// NotKnown returns the unsettled calls that may have taken effect and that no program is
// sending. It omits calls that were turned away, unless they are Unsure.
func NotKnown(unsettled []Call) []Call {
	return slices.DeleteFunc(slices.Clone(unsettled), func(c Call) bool { return c.UnderWay || !c.Doubtful() })
}

func list(conn *sqlite.Conn, q Query, a Account) (calls []Call, err error) {
	clause, args := q(a)
	err = sqlitex.Execute(conn, selectCall+clause, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
		call, err := columns(stmt)
		calls = append(calls, call)
		return err
	}})
	return calls, err
}

func withID(externalID string) Query {
	return func(a Account) (string, []any) {
		return ofAccount(`AND external_id = ? ORDER BY profile = ? DESC LIMIT 1`, externalID, a.Profile)(a)
	}
}

func find(conn *sqlite.Conn, a Account, externalID string) (call Call, found bool, err error) {
	calls, err := list(conn, withID(externalID), a)
	if err != nil || len(calls) == 0 {
		return Call{}, false, err
	}
	return calls[0], true, nil
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
	return c, json.Unmarshal([]byte(stmt.ColumnText(7)), &c.Plan)
}

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
		return prepare(conn, c, func() error { return checkUnsettled(conn, c, nil) })
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
	return call, sqlitex.Execute(conn, `UPDATE call SET state = ?, tries = tries + 1, unsure = 1, owner = ? WHERE id = ?`,
		&sqlitex.ExecOptions{Args: []any{string(state), j.owner.name, call.id}})
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
	return a.journal.writeSoon(`UPDATE call SET state = ?, unsure = ?, request_id = ?, code = ?, message = ?, turned_away = ?, elsewhere = ?, owner = '' WHERE id = ?`,
		string(c.State), c.Unsure, c.RequestID, c.Code, c.Message, c.TurnedAway, c.Elsewhere, c.id)
}

func (a *attempt) release() {
	a.journal.turn.Lock()
	defer a.journal.turn.Unlock()
	delete(a.journal.held, a.id)
}

// giveUp marks a call as abandoned. If it was turned away it may have taken effect, since a
// proxy may have sent the response.
func giveUp(conn *sqlite.Conn, c Call) error {
	return sqlitex.Execute(conn, `UPDATE call SET given_up = 1, unsure = max(unsure, ?) WHERE id = ?`, &sqlitex.ExecOptions{Args: []any{c.TurnedAway > 0, c.id}})
}

// owner shows other programs that this one is running. It has locked a file, and the
// system releases the lock however the program ends.
type owner struct {
	dir string
	// name is the name of the file, or empty before it exists.
	name string
	conn *sqlite.Conn
}

// ownersDir returns the directory of the owners of a journal. It exists since the first call.
func ownersDir(journal string) string { return journal + "-owners" }

func (o *owner) begin() error {
	if o.name != "" {
		return nil
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return err
	}
	name := rand.Text()
	conn, err := dbfile.Lock(filepath.Join(o.dir, name), sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err == nil {
		o.name, o.conn = name, conn
	}
	return err
}

func (o *owner) end() error {
	if o.name == "" {
		return nil
	}
	err := errors.Join(o.conn.Close(), remove(filepath.Join(o.dir, o.name)))
	o.name, o.conn = "", nil
	return err
}

// isAlive reports whether the named program still has its lock. If not, isAlive deletes
// its file: names are not reused.
func (o *owner) isAlive(name string) (bool, error) {
	path := filepath.Join(o.dir, name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	conn, err := dbfile.Lock(path, sqlite.OpenReadWrite)
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultOK:
		return false, errors.Join(conn.Close(), remove(path))
	case sqlite.ResultBusy:
		return true, nil
	case sqlite.ResultCantOpen:
		if _, missing := os.Lstat(path); errors.Is(missing, fs.ErrNotExist) {
			return false, nil
		}
	}
	return true, err
}

func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
