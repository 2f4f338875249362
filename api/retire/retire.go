// Package retire makes the calls that retire credits, exactly once: it is the
// only one that sends them, and it sends what the journal holds.
//
// A plan is one call or several, sent in order. Recheck compares it with the market
// and the wallet before anything is written: if they changed, the journal stays as
// it is. Then all calls are written, and the first that is not done ends the plan.
// What becomes of the rest does not depend on the program that sent it:
//
//   - After a refusal, or a call that was made elsewhere, the rest is given up: it
//     counted on that call.
//   - After an unknown outcome, a lost connection or a call that was turned away, the
//     rest stays in the journal until it is sent or given up.
//   - If no call of the plan had an effect or may have one, the rest is given up.
//
// A batch is not written as a whole: the same batch plans its lines again.
package retire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"tonne/api"
	"tonne/api/retire/journal"
	"tonne/api/wire"
)

// caller makes one call. *api.Client is one.
type caller interface {
	RequestRetirement(ctx context.Context, body []byte) (wire.RetireAccepted, error)
}

// Sender sends the calls of one account.
type Sender struct {
	Journal *journal.Journal
	Account journal.Account
	// Client belongs to the account's profile and may retire.
	Client caller
	// Asking, which may be nil, is told before a call is sent again because its
	// outcome is not known: how often it was sent, and what was said last.
	Asking func(tries int, err error)
	// SameTenant says that a person knows the account's key to be of the tenant
	// for whom the calls of the journal were made, whatever key made them.
	SameTenant bool
}

// tries is how often a call is sent in a row while its outcome is not known.
const tries = 5

// Outcome is what became of a call.
type Outcome struct {
	State journal.State
	// RequestID is the retirement request of a call that is done.
	RequestID string
	// Elsewhere says that a call that is done had had its effect before this
	// journal sent it: another journal serves the same wishes.
	Elsewhere bool
	// Err is why it is not done: an *api.Error if the service or the way to it
	// is the reason.
	Err error
}

// AllowsNext reports whether the next call of the same plan may be sent: this one
// is done, and the journal made it.
func (o Outcome) AllowsNext() bool { return o.State == journal.Done && !o.Elsewhere }

// KeepsRest reports whether the calls of a plan that were not sent stay in the
// journal, after a call that was refused or made elsewhere, or neither. Made says that
// some call of the plan had an effect, may have one, or is open.
func KeepsRest(made, refused, elsewhere bool) bool { return made && !refused && !elsewhere }

// NotSent reports whether the call certainly had no effect, though nothing
// speaks against sending it again.
func (o Outcome) NotSent() bool { return o.State == journal.Prepared || o.State == journal.Sent }

// Send sends a call of the journal until its outcome is known, at most a few
// times in a row. A try that is under way when ctx ends is waited for, and none
// follows. It is journal.Unknown if no answer came: then Send may be called
// again, at any time and from any program.
//
// The error says that nothing was sent (journal.ErrNoCall, journal.ErrHeld,
// journal.ErrEnded, journal.ErrOtherKey, that of ctx), or that the outcome could not be written
// down, which is returned nevertheless.
func (s *Sender) Send(ctx context.Context, externalID string) (Outcome, error) {
	return s.send(ctx, func() (*journal.Attempt, error) {
		account := s.Account
		if s.SameTenant {
			call, err := s.Journal.Call(account, externalID)
			if err != nil {
				return nil, err
			}
			account.KeyMark = call.KeyMark
		}
		return s.Journal.Begin(account, externalID)
	})
}

// SendNew writes a call down and sends it, as Send does. One that is in the
// journal already with another body is journal.ErrOtherBody. Of one that another
// program has ended since it was confirmed, it returns what the journal says; the
// error is journal.ErrEnded only for one that was given up and had no effect.
func (s *Sender) SendNew(ctx context.Context, call journal.Call) (Outcome, error) {
	outcome, err := s.send(ctx, func() (*journal.Attempt, error) { return s.Journal.Start(call) })
	if errors.Is(err, journal.ErrEnded) {
		return s.ended(call.ExternalID)
	}
	return outcome, err
}

// ended returns what the journal says of a call that is not to be sent.
func (s *Sender) ended(externalID string) (Outcome, error) {
	c, err := s.Journal.Call(s.Account, externalID)
	switch {
	case err != nil:
		return Outcome{}, err
	case c.State == journal.Done:
		return Outcome{State: c.State, RequestID: c.RequestID, Elsewhere: c.Elsewhere}, nil
	case c.State == journal.Refused:
		return Outcome{State: c.State, Err: &api.Error{Kind: api.Invalid, Status: 422, Code: c.Code, Message: c.Message}}, nil
	case c.Doubtful():
		return Outcome{State: journal.Unknown, Err: journal.ErrEnded}, nil
	}
	return Outcome{}, journal.ErrEnded
}

func (s *Sender) send(ctx context.Context, begin func() (*journal.Attempt, error)) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	attempt, err := begin()
	if err != nil {
		return Outcome{}, err
	}
	outcome := s.ask(ctx, attempt)
	return outcome, writeDown(attempt, outcome)
}

func writeDown(attempt *journal.Attempt, o Outcome) error {
	status, message := said(o.Err)
	switch o.State {
	case journal.Done:
		if o.Elsewhere {
			return attempt.DoneElsewhere(o.RequestID)
		}
		return attempt.Done(o.RequestID)
	case journal.Refused:
		e, _ := errors.AsType[*api.Error](o.Err)
		return attempt.Refused(e.Code, cmp.Or(e.Message, o.Err.Error()))
	case journal.Unknown:
		return attempt.Unknown(status, message)
	}
	return attempt.NotAccepted(status, message)
}

// said is what the journal keeps of an error that is no refusal.
func said(err error) (status int, message string) {
	switch status = TurnedAway(err); {
	case err == nil:
		return 0, ""
	case status > 0:
		return status, err.Error()
	}
	return 0, Reason(err)
}

// lateCommit is how long behind its end a try whose outcome is not known may
// still have its effect: the service may go on with what it was sent.
const lateCommit = 30 * time.Second

// ask sends a call until its outcome is known. After an attempt with an unknown
// outcome, or one that was turned away and that a gateway may have forwarded, a
// refusal may be a side effect of that attempt, or come before it takes effect. So
// a refusal counts once it was received twice, lateCommit apart: by then the service
// answers with an attempt that took effect. One refusal leaves the outcome unknown.
func (s *Sender) ask(ctx context.Context, attempt *journal.Attempt) Outcome {
	call := attempt.Call
	unsure, refused := call.Unsure, false
	away, turnedAway := call.TurnedAway > 0, error(nil)
	for n := 1; ; n++ {
		answer, err := s.Client.RequestRetirement(context.WithoutCancel(ctx), call.Body)
		wait := api.Backoff(n, retryAfter(err))
		switch {
		case err == nil:
			return Outcome{State: journal.Done, RequestID: answer.RequestID, Elsewhere: answer.Replayed && !unsure && !away}
		case api.IsRefusal(err) && (!unsure && !away || refused):
			return Outcome{State: journal.Refused, Err: err}
		case api.IsRefusal(err):
			refused, unsure, wait = true, true, max(wait, lateCommit)
		case !api.HadNoEffect(err):
			unsure, refused = true, false
		}
		if TurnedAway(err) > 0 {
			away, turnedAway = true, err
		}
		end := unanswered(unsure, err, turnedAway)
		if n == tries || ctx.Err() != nil || !worthAgain(err) {
			return end
		}
		s.tell(call.Tries+n, err, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return end
		}
		if attempt.Again() != nil {
			return end
		}
	}
}

// tell says that the call is sent again, and when if that takes long.
func (s *Sender) tell(tries int, err error, wait time.Duration) {
	if s.Asking == nil {
		return
	}
	if api.IsRefusal(err) {
		err = fmt.Errorf("%w; a try before may still be under way, so again in %.0f s", err, wait.Seconds())
	}
	s.Asking(tries, err)
}

// unanswered is the outcome of a call that ends with err. What turned it away
// counts more than a connection that could not be made since.
func unanswered(unsure bool, err, turnedAway error) Outcome {
	if unsure {
		return Outcome{State: journal.Unknown, Err: err}
	}
	return Outcome{State: journal.Sent, Err: cmp.Or(turnedAway, err)}
}

// worthAgain reports whether sending a call once more may bring an answer.
func worthAgain(err error) bool {
	var e *api.Error
	if !errors.As(err, &e) {
		return false
	}
	return !api.LongWait(err) && (!api.HadNoEffect(err) || e.Kind == api.RateLimited || e.Kind == api.Unreachable || api.IsRefusal(err))
}

func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e.RetryAfter
	}
	return 0
}

// TurnedAway returns the HTTP status with which a call was turned away that the
// service did not refuse: for its key, or by something in front of the service.
// It is 0 for any other error. Such a call keeps its id, since what answered may
// not be what carries calls out.
func TurnedAway(err error) (status int) {
	var e *api.Error
	if !errors.As(err, &e) || api.IsRefusal(err) || !api.HadNoEffect(err) {
		return 0
	}
	return e.Status
}

// MadeElsewhere is what is said of a call that another journal made before.
const MadeElsewhere = "another journal made this call before"

// Remark returns what is to be said of a call of the journal besides its state: why
// it is not done, or that another journal made it.
func Remark(c journal.Call) string {
	switch {
	case c.Elsewhere:
		return MadeElsewhere
	case c.TurnedAway > 0:
		return awayWith(c.TurnedAway, c.Message)
	case c.Code != "":
		return c.Code + ": " + c.Message
	}
	return c.Message
}

func awayWith(status int, message string) string {
	return fmt.Sprintf("turned away with %d: %s", status, message)
}

// Reason returns why a call is not done, with the code and the message of the
// service if it sent them.
func Reason(err error) string {
	var e *api.Error
	switch away := TurnedAway(err); {
	case away > 0:
		return awayWith(away, err.Error())
	case errors.As(err, &e) && e.Code != "" && e.Message != "":
		return e.Code + ": " + e.Message
	case e != nil && e.Kind == api.Invalid:
		return fmt.Sprintf("the service answered %d without a code that it documents", e.Status)
	}
	return err.Error()
}
