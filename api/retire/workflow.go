package retire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/file/dbfile"
	"tonne/model/market"
	"tonne/model/portfolio"
)

// Workflow retires for one account. Its methods wait for the service or the disk, and may
// be called from several goroutines.
type Workflow struct {
	// Path is the file of the journal, which is created when needed.
	Path    string
	Account Account
	// Client is a client for the account that may retire. It may be nil if not used.
	Client client
	// Ledger, if not nil, is searched for references that the journal does not have.
	Ledger Ledger
	// By is the user who retires, and Now the clock.
	By  string
	Now func() time.Time
	// SameTenant reports that, according to the user, the key of the account belongs
	// to the tenant of the calls in the journal, even if they have another key.
	SameTenant bool
	// ReadOnly opens the journal for reading. A missing journal has no calls, and one of an older version is ErrOlder.
	ReadOnly bool

	turn    sync.Mutex
	opened  *journal
	sending sync.WaitGroup
}

// client is the part of *api.Client that a workflow uses.
type client interface {
	Market(ctx context.Context, perPage int, each func(part *market.Page, page model.Page)) (*market.Market, error)
	Inventory(ctx context.Context, q api.InventoryQuery,
		each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error)
	RequestRetirement(ctx context.Context, body []byte) (wire.RetireAccepted, error)
}

// Open opens the journal. Otherwise, the first method that needs it does.
func (w *Workflow) Open(ctx context.Context) error {
	_, err := w.journal(ctx, true)
	return err
}

// journal opens the journal once. It returns nil if the file is missing and create is false.
func (w *Workflow) journal(ctx context.Context, create bool) (*journal, error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	if w.opened != nil {
		return w.opened, nil
	}
	if _, err := os.Stat(w.Path); errors.Is(err, fs.ErrNotExist) && !create {
		return nil, nil
	}
	if w.ReadOnly {
		var err error
		w.opened, err = readJournal(w.Path)
		return w.opened, err
	}
	if err := os.MkdirAll(filepath.Dir(w.Path), 0o700); err != nil {
		return nil, err
	}
	var err error
	if w.opened, err = openJournal(ctx, w.Path); err == nil && w.Now != nil {
		w.opened.now = w.Now
	}
	return w.opened, err
}

// Close closes the journal when no call is being sent. If that takes longer than patience,
// Close leaves the call in the same state as a killed program does.
func (w *Workflow) Close(patience time.Duration) error {
	idle := make(chan struct{})
	go func() {
		w.sending.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(patience):
		return nil
	}
	w.turn.Lock()
	defer w.turn.Unlock()
	if w.opened == nil {
		return nil
	}
	return w.opened.close()
}

func (w *Workflow) read(ctx context.Context, fn func(*journal) error) error {
	j, err := w.journal(ctx, false)
	if j == nil || err != nil {
		return err
	}
	j.turn.Lock()
	defer j.turn.Unlock()
	return dbfile.Transact(context.Background(), j.conn, "BEGIN", func(*sqlite.Conn) error { return fn(j) })
}

// Calls returns the calls that a query selects, or none if there is no journal.
func (w *Workflow) Calls(ctx context.Context, q Query) (calls []Call, err error) {
	err = w.read(ctx, func(j *journal) error {
		calls, err = list(j.conn, q, w.Account)
		return err
	})
	return calls, err
}

// CountDone returns the number of calls to the service that are done, of all accounts.
func (w *Workflow) CountDone(ctx context.Context) (n int64, err error) {
	err = w.read(ctx, func(j *journal) error {
		return dbfile.Execute(j.conn, `SELECT count(*) FROM call WHERE origin = ? AND state = 'done'`,
			func(stmt *sqlite.Stmt) { n = stmt.ColumnInt64(0) }, w.Account.Origin)
	})
	return n, err
}

// Unsettled returns, in order, the calls that are open or Doubtful.
func (w *Workflow) Unsettled(ctx context.Context) (calls []Call, err error) {
	err = w.read(ctx, func(j *journal) error {
		calls, err = list(j.conn, notSettled, w.Account)
		for i, c := range calls {
			if err == nil {
				calls[i].UnderWay, err = j.sends(c)
			}
		}
		return err
	})
	return calls, err
}

// Call returns the call with an external id, or ErrNoCall.
func (w *Workflow) Call(ctx context.Context, externalID string) (Call, error) {
	calls, err := w.Calls(ctx, withID(externalID))
	if err != nil || len(calls) == 0 {
		return Call{}, cmp.Or[error](err, ErrNoCall)
	}
	return calls[0], nil
}

// Confirm writes all calls of a plan and abandons those that it replaces, all-or-nothing.
// The error is ErrUnsettled, ErrOtherBody, ErrChanged, or ErrHeld if another program sends
// or has sent a call that the plan replaces.
func (w *Workflow) Confirm(ctx context.Context, c Confirmed) error {
	w.sending.Add(1)
	defer w.sending.Done()
	j, err := w.journal(ctx, true)
	if err != nil {
		return err
	}
	for i := range c.Calls {
		c.Calls[i] = w.stamp(c.Calls[i])
	}
	return j.confirm(c)
}

func (w *Workflow) stamp(c Call) Call {
	c.Account, c.MadeBy, c.MadeAt = w.Account, w.By, w.Now()
	return c
}

// Abandon marks a call as never to be sent again, and returns it. It does not undo an
// effect. The error is ErrNoCall, ErrHeld or ErrEnded.
func (w *Workflow) Abandon(ctx context.Context, externalID string) (Call, error) {
	return w.change(ctx, externalID, Call.Open, giveUp)
}

// Settle records the outcome of an unsettled call that a user found out: the id of the
// retirement request, or empty if it had no effect. The errors are those of Abandon and ErrNotSent.
func (w *Workflow) Settle(ctx context.Context, externalID, requestID string) (Call, error) {
	state, said := Done, "carried out, as "+w.By+" found out"
	if requestID == "" {
		state, said = Refused, "not "+said
	}
	return w.change(ctx, externalID, Call.unsettled, func(conn *sqlite.Conn, c Call) error {
		if c.State == Prepared && state == Done {
			return fmt.Errorf("%w: %s", ErrNotSent, externalID)
		}
		return dbfile.Execute(conn,
			`UPDATE call SET state = ?, unsure = 0, request_id = ?, code = '', message = ?, turned_away = 0, owner = '' WHERE id
				= ?`,
			nil, string(state), requestID, said, c.id)
	})
}

func (w *Workflow) change(ctx context.Context, externalID string, open func(Call) bool,
	fn func(*sqlite.Conn, Call) error) (changed Call, err error) {
	j, err := w.journal(ctx, true)
	if err != nil {
		return Call{}, err
	}
	err = j.write(func(conn *sqlite.Conn) error {
		call, err := j.free(conn, w.Account, externalID, open)
		if err == nil {
			err = fn(conn, call)
		}
		if err == nil {
			changed, _, err = find(conn, w.Account, externalID)
		}
		return err
	})
	return changed, err
}

// Remember records the requests of done calls in the ledger.
func (w *Workflow) Remember(ctx context.Context, calls []*Call) error {
	var ids []string
	references := make(map[string][]string)
	for _, c := range calls {
		if c.State == Done {
			ids = append(ids, c.RequestID)
			references[c.RequestID] = append(references[c.RequestID], c.Reference)
		}
	}
	if w.Ledger == nil || len(ids) == 0 {
		return nil
	}
	return w.Ledger.Remember(context.WithoutCancel(ctx), ids, references)
}
