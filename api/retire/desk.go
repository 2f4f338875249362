package retire

import (
	"context"
	"errors"
	"sync"
	"time"

	"tonne/api/retire/journal"
	"tonne/api/wire"
	"tonne/model"
)

// service is the marketplace that a desk reads and calls. *api.Client is one.
type service interface {
	caller
	listings
}

// Order is a call that a person has confirmed.
type Order struct {
	// ExternalID was made with the plan: who confirms it twice sends it once.
	ExternalID string
	// Reference is the person's own, Wish what all calls of the plan serve.
	Reference, Wish string
	Call            model.RetireCall
}

// Desk retires for somebody who confirms each plan. Its methods wait for the
// service or the disk and may be called from any goroutine.
type Desk struct {
	// Journal returns the journal; nil while there is none, unless it must be
	// made.
	Journal func(ctx context.Context, made bool) (*journal.Journal, error)
	Account journal.Account
	// Client belongs to the account's profile and may retire.
	Client service
	// Ledger is searched for a reference that the journal does not know; nil for
	// none.
	Ledger Ledger
	// By is who confirms, Now the clock of the machine.
	By  string
	Now func() time.Time

	turn    sync.Mutex
	opened  *journal.Journal
	sending sync.WaitGroup
}

// Supply reads what is for sale and what is owned of a vintage now, as
// ReadSupplies does.
func (d *Desk) Supply(ctx context.Context, vintage string) (Supply, error) {
	all, err := ReadSupplies(ctx, d.Client, vintage)
	return all[vintage], err
}

// Plan is what a person has confirmed at once.
type Plan struct {
	Orders []Order
	// Instead are the external ids of calls of earlier plans whose place it takes.
	Instead []string
	// Known is how many calls of the wish Recall returned when it was made; below
	// 0 for a wish that has no reference.
	Known int
}

// Recall returns the calls of the journal with a reference, as the function Recall
// does.
func (d *Desk) Recall(ctx context.Context, reference string) ([]journal.Call, error) {
	j, err := d.journal(ctx, false)
	if err != nil {
		return nil, err
	}
	return Recall(ctx, j, d.Account, d.Ledger, reference)
}

// NewIDs returns what makes the ids of the calls of one retirement, as IDs.Next
// does.
func (d *Desk) NewIDs(reference, wish string, of model.RetireRequest, made []journal.Call) func(model.RetireCall) string {
	return NewIDs(d.Account.Origin, reference, wish, of, made).Next
}

// Confirm writes down all calls of a plan before the first is sent, and gives up
// those whose place they take, as journal.Journal.Confirm does: whatever becomes
// of the program, the journal has all that was confirmed.
func (d *Desk) Confirm(ctx context.Context, p Plan) error {
	d.sending.Add(1)
	defer d.sending.Done()
	j, err := d.journal(ctx, true)
	if err != nil {
		return err
	}
	confirmed := journal.Confirmed{Instead: p.Instead, Known: p.Known}
	for _, o := range p.Orders {
		confirmed.Calls = append(confirmed.Calls, d.entry(o))
	}
	return j.Confirm(confirmed)
}

func (d *Desk) entry(o Order) journal.Call {
	return journal.Call{
		Account: d.Account, ExternalID: o.ExternalID, Reference: o.Reference, Wish: o.Wish,
		Plan: o.Call, Body: wire.AppendRetireCall(nil, o.ExternalID, o.Call), MadeBy: d.By, MadeAt: d.Now(),
	}
}

// Retire sends a call that was confirmed, as Sender.SendNew does: one that is not
// written down yet is. One that was written down before is not sent with another
// body: journal.ErrOtherBody.
func (d *Desk) Retire(ctx context.Context, o Order, asking func(tries int, err error)) (Outcome, error) {
	return d.with(ctx, asking, func(s *Sender) (Outcome, error) {
		outcome, err := s.SendNew(ctx, d.entry(o))
		d.remember(ctx, outcome, o.Reference)
		return outcome, err
	})
}

// Resume sends a call of the journal again, as Sender.Send does. Of one that
// another program has ended, it returns what the journal says; the error is
// journal.ErrEnded only for one that was given up and had no effect.
func (d *Desk) Resume(ctx context.Context, externalID string, asking func(tries int, err error)) (Outcome, error) {
	return d.with(ctx, asking, func(s *Sender) (Outcome, error) {
		outcome, err := s.Send(ctx, externalID)
		if errors.Is(err, journal.ErrEnded) {
			return s.ended(externalID)
		}
		if call, found := s.Journal.Call(d.Account, externalID); found == nil {
			d.remember(ctx, outcome, call.Reference)
		}
		return outcome, err
	})
}

// remember keeps the reference of a call that is done in the ledger. The journal
// has it as well, so that nothing is lost if this fails.
func (d *Desk) remember(ctx context.Context, o Outcome, reference string) {
	if d.Ledger != nil && o.State == journal.Done && reference != "" {
		_ = d.Ledger.Remember(context.WithoutCancel(ctx), o.RequestID, reference)
	}
}

// with calls fn with a sender that tells asking before it sends again.
func (d *Desk) with(ctx context.Context, asking func(tries int, err error), fn func(*Sender) (Outcome, error)) (Outcome, error) {
	d.sending.Add(1)
	defer d.sending.Done()
	j, err := d.journal(ctx, true)
	if err != nil {
		return Outcome{}, err
	}
	return fn(&Sender{Journal: j, Account: d.Account, Client: d.Client, Asking: asking})
}

// journal opens the journal once.
func (d *Desk) journal(ctx context.Context, made bool) (*journal.Journal, error) {
	d.turn.Lock()
	defer d.turn.Unlock()
	if d.opened != nil {
		return d.opened, nil
	}
	var err error
	d.opened, err = d.Journal(ctx, made)
	return d.opened, err
}

// Unfinished returns the calls that are not settled, as
// journal.Journal.Unsettled does.
func (d *Desk) Unfinished(ctx context.Context) ([]journal.Call, error) {
	j, err := d.journal(ctx, false)
	if j == nil || err != nil {
		return nil, err
	}
	return j.Unsettled(d.Account)
}

// Barred reports whether the service turned a call of the key away for the role of
// its user (403), and took none since. The interface tells of a role in no other
// way.
func (d *Desk) Barred(ctx context.Context) (bool, error) {
	j, err := d.journal(ctx, false)
	if j == nil || err != nil {
		return false, err
	}
	const forbidden = 403
	return j.TurnedAway(d.Account, forbidden)
}

// Calls returns the calls to the service, of all profiles, in the order in which
// they were prepared.
func (d *Desk) Calls(ctx context.Context) ([]journal.Call, error) {
	j, err := d.journal(ctx, false)
	if j == nil || err != nil {
		return nil, err
	}
	return j.Of(d.Account.Origin)
}

// GiveUp writes down that a call is not sent any more, and returns it. The
// errors are those of journal.Journal.GiveUp.
func (d *Desk) GiveUp(ctx context.Context, externalID string) (journal.Call, error) {
	j, err := d.journal(ctx, true)
	if err != nil {
		return journal.Call{}, err
	}
	if err := j.GiveUp(d.Account, externalID); err != nil {
		return journal.Call{}, err
	}
	return j.Call(d.Account, externalID)
}

// Close ends the use of the journal once no call is on its way, or after a
// time: then a call that is still out is as that of a program that was killed.
func (d *Desk) Close(patience time.Duration) error {
	idle := make(chan struct{})
	go func() {
		d.sending.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(patience):
		return nil
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	if d.opened == nil {
		return nil
	}
	return d.opened.Close()
}
