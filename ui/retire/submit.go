package retire

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"tonne/api"
	"tonne/api/retire"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

type callResult int8

const (
	// waiting is a call that was not tried.
	waiting callResult = iota
	done
	refused
	// unknown is one that may have had its effect, notDone one that had none as far
	// as this program knows, or whose refusal could not be written.
	unknown
	notDone
)

func resultOf(c *retire.Call) callResult {
	switch {
	case c.State == retire.Done:
		return done
	case c.State == retire.Refused && c.Unwritten == nil:
		return refused
	case c.UnderWay, c.Doubtful():
		return unknown
	case c.Err == nil:
		return waiting
	}
	return notDone
}

func isElsewhere(c *retire.Call) bool { return c.Elsewhere }

func quantityOf(calls []*retire.Call) (sum model.Grams) {
	for _, c := range calls {
		sum = sum.AddUpTo(c.Plan.Quantity)
	}
	return sum
}

func (d *dialog) submit() effect.Effect { return d.run((*retire.Submission).Send) }

func (d *dialog) resume() effect.Effect {
	return d.run(func(s *retire.Submission, ctx context.Context, report func(retire.Progress)) error {
		open := slices.DeleteFunc(s.New(), func(c *retire.Call) bool { return !c.Resumable() })
		return retire.Resume(ctx, s.Steps, open, report)
	})
}

func (d *dialog) run(send func(*retire.Submission, context.Context, func(retire.Progress)) error) effect.Effect {
	shown, s, flow := d.plan, d.plan.Clone(), d.controller.flow
	d.stage, d.going = sending, make(map[string]int)
	d.controller.out++
	// Sending does not wait for the screen: what does not fit is left out.
	progress := make(chan retire.Progress, 64)
	report := func(p retire.Progress) {
		select {
		case progress <- p:
		default:
		}
	}
	return effect.Batch(effect.Work(func(ctx context.Context) any {
		defer close(progress)
		err := send(s, ctx, report)
		// The journal has what the ledger does not take.
		_ = flow.Remember(ctx, s.New())
		return effect.Then(func() effect.Effect { return d.end(s, err) })
	}), d.follow(shown, progress))
}

func (d *dialog) follow(shown *retire.Submission, progress <-chan retire.Progress) effect.Effect {
	return effect.Work(func(ctx context.Context) any {
		select {
		case <-ctx.Done():
			return nil
		case p, more := <-progress:
			if !more {
				return nil
			}
			return effect.Then(func() effect.Effect {
				if d.stage == sending && d.plan == shown {
					d.going[p.ExternalID] = p.Tries + 1
				}
				return d.follow(shown, progress)
			})
		}
	})
}

func (d *dialog) end(s *retire.Submission, err error) effect.Effect {
	var requests []string
	calls, before := s.New(), d.plan.New()
	for i, c := range calls {
		if c.State == retire.Done && before[i].State != retire.Done {
			requests = append(requests, c.RequestID)
		}
	}
	d.stage, d.plan, d.failed = ended, s, nil
	d.guard.close(d.controller.view.Now())
	said := say(calls)
	if !slices.ContainsFunc(calls, func(c *retire.Call) bool { return resultOf(c) != waiting }) {
		d.failed = err
		said = effect.Warn("Nothing was sent: " + why(err) + ".")
	}
	return effect.Batch(d.controller.back(requests...), said)
}

func say(calls []*retire.Call) effect.Effect {
	var retired model.Grams
	for _, c := range calls {
		switch result := resultOf(c); {
		case c.Elsewhere:
			return effect.Warn(tab.Sentence(madeElsewhere(c)))
		case result == done:
			retired = retired.AddUpTo(c.Plan.Quantity)
		case result != waiting && retired > 0:
			said := sentence(c)
			return effect.Warn("Retired " + tonnes(retired) + " of " + tonnes(quantityOf(calls)) + "; then " + strings.ToLower(said[:1]) + said[1:] + ".")
		case result != waiting:
			return effect.Warn(sentence(c) + ".")
		}
	}
	return effect.Say("Retired " + tonnes(retired) + ".")
}

func madeElsewhere(c *retire.Call) error {
	return &retire.ElsewhereError{Requests: []string{c.RequestID}}
}

func sentence(c *retire.Call) string {
	switch resultOf(c) {
	case refused:
		return "Refused: " + api.RefusalOf(c.Err).What
	case notDone:
		return "Not retired: " + why(c.Err)
	}
	return "It is not known yet whether " + tonnes(c.Plan.Quantity) + " were retired: U asks again"
}

func why(err error) string {
	if what, _ := localError(err); what != "" {
		return what
	}
	if changed, ok := errors.AsType[*retire.ChangedError](err); ok {
		return changed.Error()
	}
	switch {
	case err == nil:
		return "no answer"
	case api.IsRefusal(err):
		return api.RefusalOf(err).What
	case api.KindOf(err) == api.Invalid:
		return retire.Reason(err)
	}
	return tab.Brief(err)
}

func (r *Controller) advice(err error) line {
	_, known := localError(err)
	text := cmp.Or(known, tab.Advice(err), "Try it again; if it stays, ask whoever looks after this machine.")
	return said(style.Muted, r.view.Commands(text))
}

// makeRoom is what to do about retire.ErrDisk.
const makeRoom = "Make room on the disk of the journal, or make it writable."

// local are the errors of this machine, with what they are and what to do.
var local = []struct {
	err        error
	what, todo string
}{
	{retire.ErrLocked, "another program has locked the journal", "Close it, or wait for it to finish, then try again."},
	{retire.ErrDisk, "the journal cannot be written", makeRoom},
	{retire.ErrEmptied, "the journal is empty, although calls were sent with it", "Restore journal.db from a copy. Without one, ask the operator of the service what was retired."},
	{retire.ErrHeld, "another program is making this call", "Let it end, then look with U what became of it."},
	{retire.ErrEnded, "another program has ended this call", "Esc, then look at the ledger, or list what is not known with U."},
	{retire.ErrNoCall, "the journal has no such call", "Look whether this is the profile that made it, and whether the journal was moved away."},
	{retire.ErrNotSent, "the call was never sent", "Look at its id once more: U lists the calls."},
	{retire.ErrOtherBody, "the id stands for another call", "Esc, then plan it again: a new plan has ids of its own."},
	{retire.ErrUnsettled, "the same was confirmed before, and is not settled", "Esc, then U, or `tonne retire pending` if it was given up: settle that one first. For a second retirement give another reference."},
	{retire.ErrOtherKey, "it was made with another API key", "Use the key that made it. If that was rotated for the same tenant: `tonne retire resume --same-tenant`."},
	{retire.ErrWalletUnread, "a wallet of the vintage cannot be read", "Look at it on the Inventory tab, and ask the service's operator."},
	{retire.ErrBookUnread, "a sell order of the vintage cannot be read", "Look at it on the Market tab, and ask the service's operator."},
	{context.Canceled, "the program ends", "Start it again: what was sent is in the journal, and is shown then."},
}

func localError(err error) (what, todo string) {
	for _, l := range local {
		if errors.Is(err, l.err) {
			return l.what, l.todo
		}
	}
	return "", ""
}
