package session

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"tonne/api"
	"tonne/model/file/store"
	"tonne/model/retirement"
)

// Entry is a retirement request for the ledger. Label may be empty.
type Entry struct{ ID, Label string }

// rereadEvery is how often the session checks whether another process changed the ledger.
const rereadEvery = time.Minute

// ledger has the retirement requests of the user, as in the store with the changes since.
type ledger struct {
	*env
	requests
	kept    store.Ledger
	version func(context.Context) (int64, error)
	// journaled reports that there is a journal.
	journaled bool
	// checkFiles checks certificates that no one has checked, and checkRules the rules on
	// requests after a response that changed something.
	checkFiles func(ids []string)
	checkRules func()

	opened, loaded bool
	// edits counts the user's changes, which are newer than a read that began before them.
	// unwritten reports that some are not in the store.
	edits     int
	unwritten bool
	reading   task
	// read is the version of the store that was last read.
	read int64

	// due reports that an event is due; changes and outcomes are part of it.
	due      bool
	changes  []Change
	outcomes []Outcome
	// unread reports that the last read failed. failed is the error, until it is sent.
	unread bool
	failed error
	// followed reports a response whose fractions may have moved, which affects FollowCalls.
	followed bool
	// lookUps are outcomes to write. differ reports that a response among them changed
	// something, and writing that a write is in progress.
	lookUps []store.LookUp
	differ  bool
	writing bool
}

func (g *ledger) add(entries []Entry) {
	now := g.now()
	var ids []string
	for _, e := range slices.Backward(entries) {
		r := g.find(e.ID)
		if r == nil {
			r = &Request{ID: e.ID, Label: plainLabel(e.Label), FirstSeen: now}
			g.put(r)
			ids = append(ids, r.ID)
		}
		if r.Answer == nil || r.Pending() {
			g.want(r.ID)
		}
	}
	if len(ids) > 0 {
		g.edited(func(ctx context.Context) error { return g.kept.Remember(ctx, now, ids...) })
	}
	for _, id := range ids {
		if label := g.find(id).Label; label != "" {
			g.keepLabel(id, label)
		}
	}
}

func (g *ledger) setLabel(id, label string) {
	if r := g.find(id); r != nil {
		g.change(id, func(r *Request) { r.Label = label })
		g.edited(func(ctx context.Context) error { return g.enterAgain(ctx, r) })
		g.keepLabel(id, label)
	}
}

func (g *ledger) look(id string) {
	r := g.find(id)
	if r == nil || !r.Changed() {
		return
	}
	status := r.Answer.Status
	g.change(id, func(r *Request) { r.Looked = status })
	g.edited(func(ctx context.Context) error { return g.kept.Look(ctx, id, status) })
}

// enterAgain writes a request that may have been removed, with its response and its
// certificate. The store keeps newer data.
func (g *ledger) enterAgain(ctx context.Context, r *Request) error {
	return errors.Join(
		g.kept.Remember(ctx, r.FirstSeen, r.ID),
		g.kept.Record(ctx, store.LookUp{ID: r.ID, At: r.AnsweredAt, Answer: r.Answer}),
		g.kept.SetCertificate(ctx, r.ID, r.Certificate),
	)
}

func (g *ledger) keepLabel(id, label string) {
	now := g.now()
	g.edited(func(ctx context.Context) error { return g.kept.SetLabel(ctx, id, label, now) })
}

func (g *ledger) restore(r Request) {
	if g.find(r.ID) != nil {
		return
	}
	r.Fetching, r.NextAt, r.wanted = false, time.Time{}, false
	g.resume(&r)
	g.put(&r)
	now := g.now()
	g.edited(func(ctx context.Context) error {
		return errors.Join(
			g.enterAgain(ctx, &r),
			g.kept.SetLabel(ctx, r.ID, r.Label, now),
			g.kept.Look(ctx, r.ID, r.Looked),
		)
	})
}

func (g *ledger) edited(write func(ctx context.Context) error) {
	g.edits++
	g.due = true
	g.keep(write)
}

// keep writes a change of the user.
func (g *ledger) keep(write func(ctx context.Context) error) {
	g.write(write, func(err error) {
		g.unwritten = g.unwritten || err != nil
		g.reportUnsaved(LedgerWrites, err)
	})
}

func (g *ledger) want(id string) {
	g.change(id, func(r *Request) { r.wanted = !r.Fetching })
}

func (g *ledger) reread() {
	if !g.opened || !g.reading.begin() {
		return
	}
	edits, version := g.edits, int64(0)
	read(g.env, func(ctx context.Context) (kept []store.LedgerEntry, err error) {
		if version, err = g.version(ctx); err != nil {
			return nil, err
		}
		return g.kept.Entries(ctx)
	}, func(kept []store.LedgerEntry, err error) {
		g.reading.busy = false
		if err != nil && !g.unread && g.ctx.Err() == nil {
			g.due, g.failed = true, err
		}
		if g.unread = err != nil; !g.unread {
			g.read = version
			g.merge(kept, edits)
			g.reading.due = g.reading.due || edits != g.edits
		}
	})
}

// merge takes the content of the store after a number of edits. If there have been edits
// since, it is outdated, and the ledger is read again.
func (g *ledger) merge(kept []store.LedgerEntry, edits int) {
	if edits != g.edits || g.loaded && g.unwritten {
		return
	}
	before := g.requests
	g.requests = requests{all: make([]*Request, 0, len(kept))}
	for _, k := range kept {
		r := newRequest(k)
		if known := before.find(k.ID); known != nil {
			r = known.updated(r)
		} else {
			g.resume(r)
		}
		g.put(r)
	}
	for _, r := range before.all {
		if g.find(r.ID) == nil && g.unwritten {
			g.put(r)
		}
	}
	news := !g.loaded || !slices.Equal(before.all, g.all)
	g.due, g.followed = g.due || news, g.followed || news && g.journaled
	g.loaded = true
	var unverified []string
	for _, r := range g.all {
		if r.FileStatus == NotVerified {
			unverified = append(unverified, r.ID)
		}
	}
	g.checkFiles(unverified)
}

func (g *ledger) resume(r *Request) {
	if r.wanted = r.Answer == nil; r.Pending() {
		r.NextAt = g.wall()
	}
}

func (g *ledger) settle() {
	if g.due {
		g.shared = true
		g.emit(LedgerEvent{Requests: slices.Clip(g.all), Changed: g.changes, Answered: g.outcomes, Err: g.failed})
		g.due, g.changes, g.outcomes, g.failed = false, nil, nil, nil
	}
	g.record()
	g.reread()
}

// answered records the outcome of a look-up, if the ledger has the request.
func (g *ledger) answered(id string, found *retirement.Request, err error) {
	was := g.find(id)
	if was == nil || err != nil && g.ctx.Err() != nil {
		// The session ended the look-up.
		return
	}
	now := g.wall()
	g.due = true
	g.change(id, func(r *Request) {
		r.Fetching, r.wanted, r.Err = false, false, err
		if found != nil && !now.Before(r.AnsweredAt) {
			r.AnsweredAt = now
			// An identical response keeps its pointer, so that its checks are not repeated.
			if r.Answer == nil || !reflect.DeepEqual(r.Answer, found) {
				r.Answer = found
			}
			r.Looked = cmp.Or(r.Looked, r.Answer.Status)
		}
		r.plan(now)
	})
	g.outcome(was, g.find(id))
}

func (g *ledger) outcome(was, is *Request) {
	if api.KindOf(is.Err) == api.RateLimited {
		// The look-up is repeated.
		return
	}
	g.differ = g.differ || is.Answer != was.Answer
	g.followed = g.followed || g.journaled && mayHaveMoved(was.Answer, is.Answer)
	if !is.AnsweredAt.Equal(was.AnsweredAt) || is.Err != nil && is.Err != was.Err {
		l := store.LookUp{ID: is.ID, At: is.AnsweredAt, Answer: is.Answer}
		if is.Err != nil {
			l = store.LookUp{ID: is.ID, At: g.now(), Error: is.Err.Error()}
		}
		g.lookUps = append(g.lookUps, l)
		g.outcomes = latest(g.outcomes, []Outcome{{is.ID, is.Err}}, func(o Outcome) string { return o.ID })
	}
	if was.Answer != nil && is.Answer != nil && was.Answer.Status != is.Answer.Status {
		g.changes = append(g.changes, Change{is.ID, was.Answer.Status, is.Answer.Status})
	}
}

// mayHaveMoved reports whether fractions may have moved to another request since the previous
// response. was may be nil.
func mayHaveMoved(was, is *retirement.Request) bool {
	switch {
	case is == was || is.Type != retirement.Fractionalised:
		return false
	case was == nil:
		return true
	}
	same := func(a, b retirement.Item) bool {
		return a.ID == b.ID && a.Quantity == b.Quantity && a.CreatedAt.Time.Equal(b.CreatedAt.Time)
	}
	return is.Status != was.Status || is.TotalQuantity != was.TotalQuantity ||
		!slices.EqualFunc(is.Items, was.Items, same)
}

func (g *ledger) record() {
	if len(g.lookUps) == 0 || g.writing && g.ctx.Err() == nil {
		return
	}
	lookUps, differ := g.lookUps, g.differ
	g.lookUps, g.differ, g.writing = nil, false, true
	g.write(func(ctx context.Context) error { return g.kept.Record(ctx, lookUps...) }, func(error) {
		g.writing = false
		if differ {
			g.checkRules()
		}
	})
}
