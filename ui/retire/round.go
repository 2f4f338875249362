package retire

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"tonne/api"
	"tonne/api/retire"
	"tonne/api/retire/journal"
	"tonne/model"
	"tonne/ui/effect"
	"tonne/ui/tab"
)

// state is what became of a call.
type state int8

const (
	// waiting is a call that was not tried, going one that is on its way.
	waiting state = iota
	going
	done
	refused
	// unknown is one that may have had its effect, unsent one that certainly had
	// none and stays in the journal. Both are asked again with the same id.
	unknown
	unsent
	// failed is one that could not be written down, or could not be sent first.
	failed
)

// call is one call of a plan with what became of it.
type call struct {
	retire.Order
	state     state
	requestID string
	// tries counts how often it was sent, as far as that was told.
	tries int
	err   error
	// elsewhere says that another journal made it before.
	elsewhere bool
	// unwritten is why the journal does not say what became of it.
	unwritten error
}

func (c *call) isOpen() bool { return c.state == unknown || c.state == unsent }

// round is a plan that a person confirms once, with its calls. Their ids are
// made with it: whoever confirms twice sends the same call.
type round struct {
	asked asked
	// wish is what is planned: what is left of what was asked for.
	wish   model.RetireRequest
	supply retire.Supply
	plan   model.RetirePlan
	calls  []*call
	// moved is what changed since the plan was made, so that nothing was sent;
	// unread is why that could not be found out.
	moved  string
	unread error
}

// newRound plans what is left of what was asked for. The error is that of
// model.PlanRetirement.
func newRound(a asked, supply retire.Supply) (*round, error) {
	wish := a.wish
	wish.Quantity -= a.done
	plan, err := model.PlanRetirement(supply.Book, supply.Held, wish)
	if err != nil {
		return nil, err
	}
	r := &round{asked: a, wish: wish, supply: supply, plan: plan}
	for _, c := range plan.Calls {
		r.calls = append(r.calls, &call{Order: retire.Order{ExternalID: a.newID(c), Reference: a.reference, Wish: a.text, Call: c}})
	}
	return r, nil
}

// quantity is what all calls retire.
func (r *round) quantity() (sum model.Grams) {
	for _, c := range r.calls {
		sum = sum.AddUpTo(c.Call.Quantity)
	}
	return sum
}

// rest is what no call serves that had its effect or may yet have it.
func (r *round) rest() model.Grams {
	rest := r.wish.Quantity
	for _, c := range r.calls {
		if c.state == done || c.isOpen() || c.state == going {
			rest -= c.Call.Quantity
		}
	}
	return rest
}

func (r *round) anyOpen() bool { return slices.ContainsFunc(r.calls, (*call).isOpen) }

func (r *round) isElsewhere() bool {
	return slices.ContainsFunc(r.calls, func(c *call) bool { return c.elsewhere })
}

// told is what work tells while it sends: how often a call was sent.
type told struct{ call, tries int }

// came is what became of a call. Its state before is waiting if it could not be
// written down, going if it was sent first, and else that of one that was open.
type came struct {
	call    int
	before  state
	outcome retire.Outcome
	err     error
}

// send sends the calls of the round one after the other, once the order book and
// the wallet were read again and are as they were.
func (d *dialog) send() effect.Effect {
	r, desk := d.round, d.room.desk
	before, plan := retire.Supplies{r.wish.VintageID: r.supply}, r.plan.Calls
	orders := make([]retire.Order, len(r.calls))
	for i, c := range r.calls {
		orders[i] = c.Order
	}
	instead := slices.DeleteFunc(slices.Clone(r.asked.planned), func(id string) bool { return slices.Contains(d.instead, id) })
	confirmed := retire.Plan{Orders: orders, Instead: append(instead, d.instead...), Known: r.asked.known}
	return d.goOut(func(ctx context.Context, tell func(told)) (all []came, why string, err error) {
		now, err := desk.Supply(ctx, r.wish.VintageID)
		if err != nil {
			return nil, "", err
		}
		if err := retire.Recheck(before, retire.Supplies{r.wish.VintageID: now}, plan); err != nil {
			return nil, err.Error(), nil
		}
		if err := desk.Confirm(ctx, confirmed); err != nil {
			return []came{{err: err}}, "", nil
		}
		for i, o := range orders {
			c := one(ctx, came{call: i, before: going}, tell, func(asking func(int, error)) (retire.Outcome, error) { return desk.Retire(ctx, o, asking) })
			if all = append(all, c); c.outcome.AllowsNext() {
				continue
			}
			refused := c.outcome.State == journal.Refused && c.err == nil
			made := i > 0 || c.outcome.State != "" && !refused || errors.Is(c.err, journal.ErrHeld)
			if c.outcome.State != "" {
				i++
			}
			if !retire.KeepsRest(made, refused, c.outcome.Elsewhere) {
				dropRest(ctx, desk, orders[i:])
			}
			break
		}
		return all, "", nil
	})
}

// dropRest gives up calls that were not sent. One that stays in the journal is listed,
// and sent only if a person asks for it.
func dropRest(ctx context.Context, desk Desk, rest []retire.Order) {
	for _, o := range rest {
		_, _ = desk.GiveUp(ctx, o.ExternalID)
	}
}

// unsentIDs are the ids of the calls that were not sent. They stand in the
// journal if the plan was written down.
func (r *round) unsentIDs() (ids []string) {
	for _, c := range r.calls {
		if c.state == waiting || c.state == failed {
			ids = append(ids, c.ExternalID)
		}
	}
	return ids
}

// resume sends the calls again that are open, with the ids that they have.
func (d *dialog) resume() effect.Effect {
	desk := d.room.desk
	var open []came
	ids := make([]string, len(d.round.calls))
	for i, c := range d.round.calls {
		if ids[i] = c.ExternalID; c.isOpen() {
			open = append(open, came{call: i, before: c.state})
		}
	}
	return d.goOut(func(ctx context.Context, tell func(told)) (all []came, why string, err error) {
		for _, c := range open {
			id := ids[c.call]
			c = one(ctx, c, tell, func(asking func(int, error)) (retire.Outcome, error) { return desk.Resume(ctx, id, asking) })
			if all = append(all, c); c.outcome.Elsewhere {
				break
			}
		}
		return all, "", nil
	})
}

// one makes one call and tells of it.
func one(ctx context.Context, c came, tell func(told), send func(asking func(int, error)) (retire.Outcome, error)) came {
	if c.err = ctx.Err(); c.err != nil {
		return c
	}
	tell(told{call: c.call, tries: 1})
	c.outcome, c.err = send(func(tries int, _ error) { tell(told{call: c.call, tries: tries + 1}) })
	return c
}

// goOut lets work send, tells of it on the way, and takes what became of it.
func (d *dialog) goOut(work func(ctx context.Context, tell func(told)) ([]came, string, error)) effect.Effect {
	d.stage = sending
	d.room.sent()
	r := d.round
	// Nobody waits for what is told: what does not fit is left out.
	news := make(chan told, 64)
	tell := func(t told) {
		select {
		case news <- t:
		default:
		}
	}
	return effect.Batch(effect.Work(func(ctx context.Context) any {
		defer close(news)
		all, why, err := work(ctx, tell)
		return effect.Then(func() effect.Effect { return d.end(r, all, why, err) })
	}), d.follow(r, news))
}

// follow shows what is told, one after the other.
func (d *dialog) follow(r *round, news <-chan told) effect.Effect {
	return effect.Work(func(ctx context.Context) any {
		select {
		case <-ctx.Done():
			return nil
		case t, more := <-news:
			if !more {
				return nil
			}
			return effect.Then(func() effect.Effect {
				if d.stage == sending && d.round == r {
					c := r.calls[t.call]
					c.state, c.tries = going, t.tries
				}
				return d.follow(r, news)
			})
		}
	})
}

// end takes what became of the calls, says it, and shows it to whoever is still
// there.
func (d *dialog) end(r *round, all []came, moved string, unread error) effect.Effect {
	d.stage = ended
	d.gate.close(d.room.view.Now())
	r.moved, r.unread = moved, unread
	var requests []string
	for _, c := range all {
		r.calls[c.call].take(c)
		if c.outcome.State == journal.Refused && retire.RefusalOf(c.outcome.Err).OtherOrder {
			d.useless[r.calls[c.call].Call.SellOrderID] = true
		}
		requests = append(requests, c.outcome.RequestID)
	}
	for _, c := range r.calls {
		if c.state == going {
			c.state = waiting
		}
	}
	return effect.Batch(d.room.back(requests...), r.say())
}

// take keeps what became of the call. Of one that was open, and that could not
// be sent again, nobody knows more than before: it is never planned anew. Nor is
// one that another program is sending since it was confirmed.
func (c *call) take(now came) {
	o, held := now.outcome, errors.Is(now.err, journal.ErrHeld)
	c.requestID, c.err, c.unwritten, c.elsewhere = o.RequestID, cmp.Or(o.Err, now.err), nil, o.Elsewhere
	if o.State != "" {
		c.unwritten = now.err
	}
	switch {
	case o.State == "" && (now.before == waiting || now.before == going && !held):
		c.state = failed
	case o.State == "" && !held:
		c.state = now.before
	case o.State == journal.Done:
		c.state = done
	case o.State == journal.Refused && c.unwritten == nil:
		c.state = refused
	case o.State == journal.Refused, o.NotSent():
		// A refusal that is not written down is one for nobody but this dialog:
		// the journal would send the call again.
		c.state = unsent
	default:
		c.state = unknown
	}
}

// say says what became of the round in a sentence. Whoever left the dialog learns
// nowhere else what was retired before a call that was not.
func (r *round) say() effect.Effect {
	var retired model.Grams
	for _, c := range r.calls {
		switch {
		case c.elsewhere:
			return effect.Warn(tab.Sentence(c.madeElsewhere()))
		case c.state == done:
			retired = retired.AddUpTo(c.Call.Quantity)
		case c.state != waiting && retired > 0:
			return effect.Warn("Retired " + tonnes(retired) + " of " + tonnes(r.quantity()) + "; then " + lowered(c.sentence()) + ".")
		case c.state != waiting:
			return effect.Warn(c.sentence() + ".")
		}
	}
	switch {
	case r.unread != nil:
		return effect.Warn("Nothing was sent: " + why(r.unread) + ".")
	case r.moved != "":
		return effect.Warn("Nothing was sent: " + r.moved + ".")
	}
	return effect.Say("Retired " + tonnes(retired) + ".")
}

func (c *call) madeElsewhere() error {
	return &retire.ElsewhereError{Requests: []string{c.requestID}}
}

// sentence says, without its end, that a call is not done.
func (c *call) sentence() string {
	switch c.state {
	case refused:
		return "Refused: " + retire.RefusalOf(c.err).What
	case unsent, failed:
		return "Not retired: " + why(c.err)
	}
	return "It is not known yet whether " + tonnes(c.Call.Quantity) + " were retired: U asks again"
}

func lowered(sentence string) string { return strings.ToLower(sentence[:1]) + sentence[1:] }

// why is an error in a few words.
func why(err error) string {
	if what, _ := localError(err); what != "" {
		return what
	}
	switch {
	case err == nil:
		return "no answer"
	case api.IsRefusal(err):
		return retire.RefusalOf(err).What
	case api.KindOf(err) == api.Invalid:
		return retire.Reason(err)
	}
	return tab.Brief(err)
}
