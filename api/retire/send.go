package retire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"tonne/api"
)

// tries limits the consecutive attempts of a call with an unknown outcome.
const tries = 5

// lateCommit is how long after its end an attempt may still take effect.
const lateCommit = 30 * time.Second

// SendNew writes a call, unless Confirm has written it, and sends it like Resume. The error
// is ErrOtherBody if the journal has the call with another body.
func (w *Workflow) SendNew(ctx context.Context, c Call, again func(tries int, err error)) (Call, error) {
	c = w.stamp(c)
	return w.send(ctx, c.ExternalID, again, func(j *journal) (*attempt, error) { return j.start(c) })
}

// Resume sends a call of the journal until its outcome is known, in at most five
// attempts, and returns it. When ctx ends, Resume waits for the current attempt and
// makes no other. If again is not nil, it is called before each further attempt, with the
// number of attempts and the last error.
//
// After an attempt with an unknown outcome, or one that was turned away and that a proxy
// may have forwarded, a refusal may be a side effect of that attempt, or come before it
// takes effect. So a refusal counts only if it is received twice, 30 s apart: by then the
// service would report an attempt that took effect. After a single refusal the outcome is
// unknown.
//
// If another program ended the call, Resume returns it from the journal. If Resume returns
// an error and the call is Planned, nothing was sent. With any other state, the outcome
// could not be written.
func (w *Workflow) Resume(ctx context.Context, externalID string, again func(tries int, err error)) (Call, error) {
	return w.send(ctx, externalID, again, func(j *journal) (*attempt, error) {
		account := w.Account
		if w.SameTenant {
			c, err := w.Call(ctx, externalID)
			if err != nil {
				return nil, err
			}
			account.KeyMark = c.KeyMark
		}
		return j.begin(account, externalID)
	})
}

func (w *Workflow) send(ctx context.Context, externalID string, again func(int, error),
	begin func(*journal) (*attempt, error)) (Call, error) {
	w.sending.Add(1)
	defer w.sending.Done()
	j, err := w.journal(ctx, true)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return Call{}, err
	}
	attempt, err := begin(j)
	switch {
	case errors.Is(err, ErrEnded):
		return w.ended(ctx, externalID)
	case err != nil:
		return Call{}, err
	}
	result, why := w.sendRepeatedly(ctx, attempt, again)
	err = attempt.end(result)
	attempt.Call.Err = why
	return attempt.Call, err
}

// ended returns a call that another program ended. The error is ErrEnded if it was
// abandoned and had no effect.
func (w *Workflow) ended(ctx context.Context, externalID string) (Call, error) {
	c, err := w.Call(ctx, externalID)
	switch {
	case err != nil:
		return Call{}, err
	case c.State == Refused:
		c.Err = &api.Error{Kind: api.Invalid, Status: 422, Code: c.Code, Message: c.Message}
	case c.Doubtful():
		c.Err = ErrEnded
	case c.State != Done:
		return Call{}, ErrEnded
	}
	return c, nil
}

func (w *Workflow) sendRepeatedly(ctx context.Context, attempt *attempt, again func(int, error)) (outcome, error) {
	call := attempt.Call
	unsure, refused := call.Unsure, false
	away, turnedAway := call.TurnedAway > 0, error(nil)
	for n := 1; ; n++ {
		answer, err := w.Client.RequestRetirement(context.WithoutCancel(ctx), call.Body)
		e, _ := errors.AsType[*api.Error](err)
		switch {
		case err == nil:
			return outcome{State: Done, RequestID: answer.RequestID, Elsewhere: answer.Replayed && !unsure && !away}, nil
		case api.IsRefusal(err) && (!unsure && !away || refused):
			return outcome{State: Refused, Code: e.Code, Message: cmp.Or(e.Message, err.Error())}, err
		case api.IsRefusal(err):
			refused, unsure = true, true
		case !api.HadNoEffect(err):
			unsure, refused = true, false
		}
		if TurnedAway(err) > 0 {
			away, turnedAway = true, err
		}
		end, why := openOutcome(unsure, err, turnedAway)
		if n == tries || ctx.Err() != nil || !shouldRetry(e) {
			return end, why
		}
		wait := api.Backoff(n, e.RetryAfter)
		if api.IsRefusal(err) {
			wait = max(wait, lateCommit)
			err = fmt.Errorf("%w; a try before may still be under way, so again in %.0f s", err, wait.Seconds())
		}
		if again != nil {
			again(call.Tries+n, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return end, why
		}
		if attempt.again() != nil {
			return end, why
		}
	}
}

// openOutcome returns the outcome of a call that ends with err. A call that was turned
// away remains so if a later connection fails.
func openOutcome(unsure bool, err, turnedAway error) (outcome, error) {
	end := outcome{State: Unknown}
	if !unsure {
		end.State, err = Sent, cmp.Or(turnedAway, err)
	}
	end.Message, end.TurnedAway = Reason(err), TurnedAway(err)
	return end, err
}

func shouldRetry(e *api.Error) bool {
	return e != nil && !api.LongWait(e) &&
		(!api.HadNoEffect(e) || e.Kind == api.RateLimited || e.Kind == api.Unreachable || api.IsRefusal(e))
}

// TurnedAway returns the HTTP status of a response that rejected a call but not as a
// refusal, because of the key or from a proxy, or 0 for any other error. The call keeps
// its id, because the proxy may have forwarded it.
func TurnedAway(err error) (status int) {
	var e *api.Error
	if !errors.As(err, &e) || api.IsRefusal(err) || !api.HadNoEffect(err) {
		return 0
	}
	return e.Status
}

// Reason returns why a call is not done, as the service states it if possible.
func Reason(err error) string {
	e, ok := errors.AsType[*api.Error](err)
	switch {
	case !ok || TurnedAway(err) > 0:
	case e.Code != "" && e.Message != "":
		return e.Code + ": " + e.Message
	case e.Kind == api.Invalid:
		return fmt.Sprintf("the service answered %d without a code that it documents", e.Status)
	}
	return err.Error()
}
