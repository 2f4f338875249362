package retire

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Workflow retires in the name of one account. Its methods wait for the service or
// the disk and may be called from any goroutine. The errors are those of the journal
// and of the client.
type Workflow struct {
	// Path is the file of the journal, which is made when it is first needed.
	Path    string
	Account Account
	// Client belongs to the account's profile and may retire; nil where nothing is
	// read from the service or sent.
	Client client
	// Ledger is searched for a reference that the journal does not know; nil for
	// none.
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
	caller
	listings
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

// Calls returns the calls that a query selects; none if there is no journal.
func (w *Workflow) Calls(ctx context.Context, q Query) (calls []Call, err error) {
	j, err := w.journal(ctx, false)
	if j == nil || err != nil {
		return nil, err
	}
	return j.list(q, w.Account)
}

// Unsettled returns the calls that are open, and those that were abandoned while
// their outcome was unknown, in the order in which they were prepared.
func (w *Workflow) Unsettled(ctx context.Context) ([]Call, error) {
	j, err := w.journal(ctx, false)
	if j == nil || err != nil {
		return nil, err
	}
	return j.unsettled(w.Account)
}

// Call returns the call with an external id. The error is ErrNoCall if there is none.
func (w *Workflow) Call(ctx context.Context, externalID string) (Call, error) {
	j, err := w.journal(ctx, false)
	switch {
	case err != nil:
		return Call{}, err
	case j == nil:
		return Call{}, ErrNoCall
	}
	return j.call(w.Account, externalID)
}

// Barred reports whether the service turned a call of the key away for the role of
// its user (403), and took none since. The interface reports a role in no other
// way.
func (w *Workflow) Barred(ctx context.Context) (bool, error) {
	const forbidden = 403
	calls, err := w.Calls(ctx, newestEnded(forbidden))
	return len(calls) > 0 && calls[0].TurnedAway == forbidden, err
}

// Confirm writes all calls of a plan before the first is sent, and abandons those
// whose place they take, all or none. The error is ErrUnsettled if another call serves
// the same and is not settled, ErrHeld if another program planned or sent the same
// meanwhile, or ErrOtherBody.
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
	return w.change(ctx, externalID, func(j *journal) error { return j.giveUp(w.Account, externalID) })
}

// Settle writes what a person found out about a call whose outcome is unknown, also if
// it was abandoned: it went into a retirement request, or had no effect if that is
// empty. The errors are those of Abandon, and ErrNotSent.
func (w *Workflow) Settle(ctx context.Context, externalID, requestID string) (Call, error) {
	return w.change(ctx, externalID, func(j *journal) error { return j.settle(w.Account, externalID, requestID, w.By) })
}

func (w *Workflow) change(ctx context.Context, externalID string, fn func(*journal) error) (Call, error) {
	j, err := w.journal(ctx, true)
	if err != nil {
		return Call{}, err
	}
	if err := fn(j); err != nil {
		return Call{}, err
	}
	return j.call(w.Account, externalID)
}

// Remember enters the requests of calls that are done in the ledger, in the order of
// the calls. The journal has them as well, so that nothing is lost if this fails.
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
