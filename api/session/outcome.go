package session

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"tonne/api"
	"tonne/model"
	"tonne/model/store"
)

// rereadEvery is how often the ledger is read if another process has changed it.
const rereadEvery = time.Minute

// answered takes the outcome of a look-up, or that one is under way. It is
// false if the request does not stand in the ledger.
func (g *ledger) answered(news RetirementEvent) bool {
	was := g.find(news.ID)
	if was == nil {
		return false
	}
	if news.Err != nil && g.l.ctx.Err() != nil {
		// That the session ended says nothing of the request.
		return true
	}
	g.due = true
	g.change(news.ID, func(r *Request) {
		r.Fetching, r.NextAt = news.Fetching, news.NextAt
		if !news.Fetching {
			r.Err = news.Err
		}
		if news.Retirement != nil && !news.At.Before(r.AnsweredAt) {
			r.AnsweredAt = news.At
			// What is worked out of an answer is not worked out anew if it is the same.
			if r.Answer == nil || !reflect.DeepEqual(r.Answer, news.Retirement) {
				r.Answer = news.Retirement
			}
			r.Looked = cmp.Or(r.Looked, r.Answer.Status)
		}
	})
	if !news.Fetching {
		g.outcome(was, g.find(news.ID), news)
	}
	return true
}

func (g *ledger) outcome(was, is *Request, news RetirementEvent) {
	if api.KindOf(is.Err) == api.RateLimited {
		// The poller asks again by itself.
		return
	}
	g.differ = g.differ || is.Answer != was.Answer
	g.followed = g.followed || g.l.options.Journal != nil && mayHaveMoved(was.Answer, is.Answer)
	if !is.AnsweredAt.Equal(was.AnsweredAt) || is.Err != nil && is.Err != was.Err {
		g.lookUps = append(g.lookUps, g.lookUp(is))
		g.outcomes = latest(g.outcomes, []Outcome{{is.ID, is.Err}}, func(o Outcome) string { return o.ID })
	}
	switch followed := !news.NextAt.IsZero(); {
	case followed && is.Answer == nil && hopeless(is.Err):
		g.l.source.unfollow(is.ID)
	case !followed && !hopeless(is.Err) && (is.Pending() || is.Answer == nil && is.Err != nil):
		g.l.source.follow(is.ID, is.FirstSeen)
	}
	g.keepFound(is)
	if was.Answer != nil && is.Answer != nil && was.Answer.Status != is.Answer.Status {
		g.changed = append(g.changed, Change{is.ID, was.Answer.Status, is.Answer.Status})
	}
}

// keepFound marks an id that was never found, which record takes out of the store. It
// enters a request that is found after that.
func (g *ledger) keepFound(r *Request) {
	switch {
	case r.Unkept && r.Answer != nil:
		g.change(r.ID, func(r *Request) { r.Unkept = false })
		found := g.find(r.ID)
		g.edited(func(ctx context.Context) error { return g.enterAgain(ctx, found) })
	case !r.Unkept && r.Answer == nil && r.Label == "" && hopeless(r.Err):
		g.change(r.ID, func(r *Request) { r.Unkept = true })
		g.unknown = append(g.unknown, r.ID)
	}
}

func (g *ledger) forget(ctx context.Context, ids []string, fractions []*model.Retirement) error {
	if len(ids) > 0 && g.l.options.Journal != nil {
		calls, err := g.l.options.Journal(ctx)
		if err != nil {
			return err
		}
		journaled := model.FollowCalls(calls, fractions)
		ids = slices.DeleteFunc(ids, func(id string) bool { return len(journaled[id]) > 0 })
	}
	return g.l.store.Forget(ctx, g.l.origin, ids...)
}

// mayHaveMoved reports whether fractions may stand elsewhere by an answer than by
// the one before it, nil for none.
func mayHaveMoved(was, is *model.Retirement) bool {
	switch {
	case is == was || is.Type != model.Fractionalised:
		return false
	case was == nil:
		return true
	}
	return is.Status != was.Status || is.TotalQuantity != was.TotalQuantity || !slices.EqualFunc(is.Items, was.Items, func(a, b model.RetirementItem) bool {
		return a.ID == b.ID && a.Quantity == b.Quantity && a.CreatedAt.Time.Equal(b.CreatedAt.Time)
	})
}

func (g *ledger) lookUp(r *Request) store.LookUp {
	if r.Err != nil {
		return store.LookUp{ID: r.ID, At: g.l.now(), Error: r.Err.Error()}
	}
	return store.LookUp{ID: r.ID, At: r.AnsweredAt, Answer: r.Answer}
}

func (g *ledger) record() {
	if len(g.lookUps) == 0 || g.writing && g.l.ctx.Err() == nil {
		return
	}
	lookUps, unknown, differ, fractions := g.lookUps, g.unknown, g.differ, g.fractions()
	g.lookUps, g.unknown, g.differ, g.writing = nil, nil, false, true
	g.l.write(func(ctx context.Context) error {
		return cmp.Or(g.l.store.Record(ctx, g.l.origin, lookUps...), g.forget(ctx, unknown, fractions))
	}, func(error) {
		g.writing = false
		if differ {
			g.l.checkRequests()
		}
	})
}
