// Package retire makes the calls that retire credits, exactly once: it is the
// only one that sends them, and it sends what the journal holds.
package retire

import (
	"context"
	"errors"
	"time"

	"tonne/api"
	"tonne/api/wire"
	"tonne/model/journal"
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

// NotSent reports whether the call certainly had no effect, though nothing
// speaks against sending it again.
func (o Outcome) NotSent() bool { return o.State == journal.Prepared || o.State == journal.Sent }

// Send sends a call of the journal until its outcome is known, at most a few
// times in a row. A try that is under way when ctx ends is waited for, and none
// follows. It is journal.Unknown if no answer came: then Send may be called
// again, at any time and from any program.
//
// The error says that nothing was sent (journal.ErrNoCall, journal.ErrHeld,
// journal.ErrEnded, that of ctx), or that the outcome could not be written
// down, which is returned nevertheless.
func (s *Sender) Send(ctx context.Context, externalID string) (Outcome, error) {
	return s.send(ctx, func() (*journal.Attempt, error) { return s.Journal.Begin(s.Account, externalID) })
}

// SendNew writes a call down and sends it, as Send does. One that is in the
// journal already with another body is journal.ErrOtherBody.
func (s *Sender) SendNew(ctx context.Context, call journal.Call) (Outcome, error) {
	return s.send(ctx, func() (*journal.Attempt, error) { return s.Journal.Start(call) })
}

func (s *Sender) send(ctx context.Context, begin func() (*journal.Attempt, error)) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	attempt, err := begin()
	if err != nil {
		return Outcome{}, err
	}
	outcome := s.ask(ctx, attempt.Call)
	return outcome, writeDown(attempt, outcome)
}

func writeDown(attempt *journal.Attempt, o Outcome) error {
	code, message := said(o.Err)
	if o.Elsewhere {
		return attempt.DoneElsewhere(o.RequestID)
	}
	switch o.State {
	case journal.Done:
		return attempt.Done(o.RequestID)
	case journal.Refused:
		return attempt.Refused(code, message)
	case journal.Unknown:
		return attempt.Unknown(message)
	}
	return attempt.Without(code, message)
}

// ask sends a call until somebody knows what became of it. A refusal that
// follows a try whose outcome is not known counts once it was said twice behind
// that: the try may still have been under way at the service the first time.
func (s *Sender) ask(ctx context.Context, call journal.Call) Outcome {
	unsure, refusals := call.Unsure, 0
	for n := 1; ; n++ {
		answer, err := s.Client.RequestRetirement(context.WithoutCancel(ctx), call.Body)
		switch {
		case err == nil:
			return Outcome{State: journal.Done, RequestID: answer.RequestID, Elsewhere: answer.Replayed && !unsure}
		case api.IsRefusal(err):
			if refusals++; !unsure || refusals == 2 {
				return Outcome{State: journal.Refused, Err: err}
			}
		case !api.HadNoEffect(err):
			unsure, refusals = true, 0
		}
		if n == tries || ctx.Err() != nil || !worthAgain(err) {
			return Outcome{State: unanswered(unsure), Err: err}
		}
		if s.Asking != nil {
			s.Asking(call.Tries+n, err)
		}
		select {
		case <-time.After(api.Backoff(n, retryAfter(err))):
		case <-ctx.Done():
			return Outcome{State: unanswered(unsure), Err: err}
		}
	}
}

func unanswered(unsure bool) journal.State {
	if unsure {
		return journal.Unknown
	}
	return journal.Sent
}

// worthAgain reports whether sending a call once more may bring an answer.
func worthAgain(err error) bool {
	var e *api.Error
	if !errors.As(err, &e) {
		return false
	}
	return !api.HadNoEffect(err) || e.Kind == api.RateLimited || e.Kind == api.Unreachable || api.IsRefusal(err)
}

func retryAfter(err error) time.Duration {
	var e *api.Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

// said is why a call is not done, in the service's words.
func said(err error) (code, message string) {
	var e *api.Error
	switch {
	case err == nil:
		return "", ""
	case errors.As(err, &e) && e.Message != "":
		return e.Code, e.Message
	}
	return "", err.Error()
}
