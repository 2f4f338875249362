package retire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"tonne/api"
)

// tries is how often a call is sent in a row while its outcome is not known.
const tries = 5

// lateCommit is how long after its end an attempt in doubt may take effect.
const lateCommit = 30 * time.Second

// SendNew writes a call, unless a plan was confirmed with it, and sends it, as Resume
// does. The error is ErrOtherBody if the journal has it with another body.
func (w *Workflow) SendNew(ctx context.Context, c Call, again func(tries int, err error)) (Call, error) {
	c = w.stamped(c)
	return w.send(ctx, c.ExternalID, again, func(j *journal) (*attempt, error) { return j.start(c) })
}

// Resume sends a call of the journal until its outcome is known, at most five times
// in a row, and returns it. An attempt that is under way when ctx ends is waited for,
// and none follows. Again, which may be nil, is called before the call is sent again,
// with how often it was sent and what the last attempt ended with.
//
// After an attempt with an unknown outcome, or one that was turned away and that a
// gateway may have forwarded, a refusal may be a side effect of that attempt, or come
// before it takes effect. So a refusal counts once it was received twice, 30 s apart:
// by then the service answers with an attempt that took effect. After one refusal the
// outcome is unknown.
//
// If another program has ended the call, it is returned as the journal has it. With an
// error and a call in the state Planned nothing was sent; with an error and any other
// call its outcome could not be written.
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

func (w *Workflow) send(ctx context.Context, externalID string, again func(int, error), begin func(*journal) (*attempt, error)) (Call, error) {
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
	ending, why := w.ask(ctx, attempt, again)
	err = attempt.end(ending)
	attempt.Call.Err = why
	return attempt.Call, err
}

// ended returns a call that another program ended. The error is ErrEnded for one that
// was abandoned and had no effect.
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

func (w *Workflow) ask(ctx context.Context, attempt *attempt, again func(int, error)) (ending, error) {
	call := attempt.Call
	unsure, refused := call.Unsure, false
	away, turnedAway := call.TurnedAway > 0, error(nil)
	for n := 1; ; n++ {
		answer, err := w.Client.RequestRetirement(context.WithoutCancel(ctx), call.Body)
		e, _ := errors.AsType[*api.Error](err)
		switch {
		case err == nil:
			return ending{State: Done, RequestID: answer.RequestID, Elsewhere: answer.Replayed && !unsure && !away}, nil
		case api.IsRefusal(err) && (!unsure && !away || refused):
			return ending{State: Refused, Code: e.Code, Message: cmp.Or(e.Message, err.Error())}, err
		case api.IsRefusal(err):
			refused, unsure = true, true
		case !api.HadNoEffect(err):
			unsure, refused = true, false
		}
		if TurnedAway(err) > 0 {
			away, turnedAway = true, err
		}
		end, why := unanswered(unsure, err, turnedAway)
		if n == tries || ctx.Err() != nil || !worthAgain(e) {
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

// unanswered is the outcome of a call that ends with err. What turned it away
// counts more than a connection that could not be made since.
func unanswered(unsure bool, err, turnedAway error) (ending, error) {
	end := ending{State: Unknown}
	if !unsure {
		end.State, err = Sent, cmp.Or(turnedAway, err)
	}
	end.Message, end.TurnedAway = Reason(err), TurnedAway(err)
	return end, err
}

func worthAgain(e *api.Error) bool {
	return e != nil && !api.LongWait(e) && (!api.HadNoEffect(e) || e.Kind == api.RateLimited || e.Kind == api.Unreachable || api.IsRefusal(e))
}

// TurnedAway returns the HTTP status with which a call was turned away without a refusal:
// for its key, or by something in front of the service; 0 for any other error. Such a call
// keeps its id, since what answered may not be what carries calls out.
func TurnedAway(err error) (status int) {
	var e *api.Error
	if !errors.As(err, &e) || api.IsRefusal(err) || !api.HadNoEffect(err) {
		return 0
	}
	return e.Status
}

// Reason returns why a call is not done, in the words of the service if it sent any.
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
