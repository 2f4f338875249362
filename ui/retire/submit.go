package retire

import (
	"context"
	"slices"

	"tonne/api/retire"
	"tonne/model"
	"tonne/model/advice"
	"tonne/ui/effect"
	"tonne/ui/style"
	"tonne/ui/tab"
)

func waits(c *retire.Call) bool { return c.Outcome().Result == retire.Waiting }

func quantityOf(calls []*retire.Call) (sum model.Grams) {
	for _, c := range calls {
		sum = sum.Plus(c.Plan.Quantity)
	}
	return sum
}

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
	// Sending must not wait for the screen, so progress is dropped if the channel is full.
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
		// An error is harmless: the journal keeps the request ids.
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
	said := d.controller.say(calls)
	if !slices.ContainsFunc(calls, func(c *retire.Call) bool { return !waits(c) }) {
		d.failed = err
		said = effect.Warn("Nothing was sent: " + retire.Why(err) + ".")
	}
	return effect.Batch(d.controller.back(requests...), said)
}

func (r *Controller) say(calls []*retire.Call) effect.Effect {
	succeeded := func(c *retire.Call) bool { return c.State == retire.Done && !c.Elsewhere }
	retired := quantityOf(slices.DeleteFunc(slices.Clone(calls), func(c *retire.Call) bool { return !succeeded(c) }))
	failed := slices.IndexFunc(calls, func(c *retire.Call) bool { return !succeeded(c) && !waits(c) })
	if failed < 0 {
		return effect.Say("Retired " + tonnes(retired) + ".")
	}
	c := calls[failed]
	what := said(style.Text, c.Outcome().What).left.String()
	if c.Batch != "" {
		what = c.Reference + " " + what
	}
	if c.Resumable() {
		what += " · U sends it again with the same id"
	}
	if retired > 0 {
		return effect.Warn("Retired " + tonnes(retired) + " of " + tonnes(quantityOf(calls)) + "; then " + what + ".")
	}
	return effect.Warn(tab.Capital(what) + ".")
}

func (r *Controller) advice(todo advice.Text) line { return said(style.Muted, r.view.Sentence(todo)) }
