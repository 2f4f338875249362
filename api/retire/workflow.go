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
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
)

// Workflow retires in the name of one account. Its methods wait for the service or the
// disk and may be called from any goroutine.
type Workflow struct {
	// Path is the file of the journal, which is made when it is first needed.
	Path    string
	Account Account
	// Client belongs to the account's profile and may retire; nil if none is needed.
	Client client
	// Ledger, which may be nil, is searched for a reference that the journal does not know.
	Ledger Ledger
	// By is who retires, Now the clock of the machine.
	By  string
	Now func() time.Time
	// SameTenant says that a person knows the account's key to be of the tenant
	// for whom the calls of the journal were made, also with another key.
	SameTenant bool

	turn    sync.Mutex
	opened  *journal
	sending sync.WaitGroup
}

// client is the marketplace that a workflow reads and calls. *api.Client is one.
type client interface {
	Market(ctx context.Context, perPage int, each func(part *market.Page, page model.Page)) (*market.Market, error)
	Inventory(ctx context.Context, q api.InventoryQuery, each func(*portfolio.Inventory, model.Page)) (*portfolio.Inventory, error)
	RequestRetirement(ctx context.Context, body []byte) (wire.RetireAccepted, error)
}

// Open opens the journal. Without it the first method that needs the journal does.
func (w *Workflow) Open(ctx context.Context) error {
	_, err := w.journal(ctx, true)
	return err
}

// journal opens the journal once. It is nil if there is none and none is to be made.
func (w *Workflow) journal(ctx context.Context, create bool) (*journal, error) {
	w.turn.Lock()
	defer w.turn.Unlock()
	if w.opened != nil {
		return w.opened, nil
	}
	if _, err := os.Stat(w.Path); errors.Is(err, fs.ErrNotExist) && !create {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(w.Path), 0o700); err != nil {
		return nil, err
	}
	var err error
	w.opened, err = openJournal(ctx, w.Path)
	return w.opened, err
}

// Close ends the use of the journal once no call is being sent, or after a time: then
// a call that is being sent is left as by a program that was killed.
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
	return j.transact("BEGIN", func(*sqlite.Conn) error { return fn(j) })
}

// Calls returns the calls that a query selects; none if there is no journal.
func (w *Workflow) Calls(ctx context.Context, q Query) (calls []Call, err error) {
	err = w.read(ctx, func(j *journal) error {
		calls, err = list(j.conn, q, w.Account)
		return err
	})
	return calls, err
}

// Unsettled returns the calls that are open, or were abandoned while in doubt, in order.
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

// Call returns the call with an external id. The error is ErrNoCall if there is none.
func (w *Workflow) Call(ctx context.Context, externalID string) (Call, error) {
	calls, err := w.Calls(ctx, withID(externalID))
	if err != nil || len(calls) == 0 {
		return Call{}, cmp.Or[error](err, ErrNoCall)
	}
	return calls[0], nil
}

// Confirm writes all calls of a plan before the first is sent, and abandons those whose
// place they take, all or none. The error is ErrUnsettled, ErrOtherBody, or ErrHeld if
// another program planned or sent the same meanwhile.
func (w *Workflow) Confirm(ctx context.Context, c Confirmed) error {
	w.sending.Add(1)
	defer w.sending.Done()
	j, err := w.journal(ctx, true)
	if err != nil {
		return err
	}
	for i := range c.Calls {
		c.Calls[i] = w.stamped(c.Calls[i])
	}
	return j.confirm(c)
}

func (w *Workflow) stamped(c Call) Call {
	c.Account, c.MadeBy, c.MadeAt = w.Account, w.By, w.Now()
	return c
}

// Abandon writes that a call is not sent any more, and returns it. An effect that it
// may have had stays. The error is ErrNoCall, ErrHeld or ErrEnded.
func (w *Workflow) Abandon(ctx context.Context, externalID string) (Call, error) {
	return w.change(ctx, externalID, Call.Open, giveUp)
}

// Settle writes what a person found out about a call in doubt: it went into a retirement
// request, or had no effect if that is empty. The errors are those of Abandon, and ErrNotSent.
func (w *Workflow) Settle(ctx context.Context, externalID, requestID string) (Call, error) {
	state, said := Done, "carried out, as "+w.By+" found out"
	if requestID == "" {
		state, said = Refused, "not "+said
	}
	return w.change(ctx, externalID, Call.unsettled, func(conn *sqlite.Conn, c Call) error {
		if c.State == Prepared && state == Done {
			return fmt.Errorf("%w: %s", ErrNotSent, externalID)
		}
		return sqlitex.Execute(conn, `UPDATE call SET state = ?, unsure = 0, request_id = ?, code = '', message = ?, turned_away = 0, owner = '' WHERE id = ?`,
			&sqlitex.ExecOptions{Args: []any{string(state), requestID, said, c.id}})
	})
}

func (w *Workflow) change(ctx context.Context, externalID string, open func(Call) bool, fn func(*sqlite.Conn, Call) error) (changed Call, err error) {
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

// Remember enters the requests of done calls in the ledger. The journal has them as well.
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
