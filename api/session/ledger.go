package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"tonne/model/store"
)

// Entry is a retirement request for the ledger. Label may be empty.
type Entry struct{ ID, Label string }

// OpenLedger reads the ledger and follows pending requests until the session ends. Later
// calls read it again, including changes by other processes. The session does so every minute.
func (s *Session) OpenLedger() {
	s.post(func(l *loop) { l.ledger.opened, l.ledger.reading.due = true, true })
}

// Add enters requests in the ledger, the last one first, so that the first is the newest.
// Requests that may have changed are looked up, even if the ledger already has them.
func (s *Session) Add(entries ...Entry) {
	s.post(func(l *loop) { l.ledger.add(entries) })
}

// SetLabel sets the label of a request. It removes invisible characters and cuts the label
// to 80 characters. An empty label removes it.
func (s *Session) SetLabel(id, label string) {
	s.post(func(l *loop) {
		g, label := l.ledger, plainLabel(label)
		if r := g.find(id); r != nil {
			g.change(id, func(r *Request) { r.Label = label })
			g.edited(func(ctx context.Context) error { return g.enterAgain(ctx, r) })
			g.keepLabel(id, label)
		}
	})
}

// Remove deletes requests from the ledger.
func (s *Session) Remove(ids ...string) {
	s.post(func(l *loop) {
		l.ledger.remove(func(r *Request) bool { return slices.Contains(ids, r.ID) })
		l.ledger.edited(func(ctx context.Context) error { return l.memory.Ledger.Remove(ctx, ids...) })
	})
}

// Restore adds removed requests again, unchanged. It ignores requests that are in the
// ledger.
func (s *Session) Restore(removed ...*Request) {
	s.post(func(l *loop) {
		for _, r := range removed {
			l.ledger.restore(*r)
		}
	})
}

type ledger struct {
	l *loop
	requests
	opened, loaded bool
	// edits counts the user's changes, which are newer than a read that began before them.
	// unwritten reports that some are not in the store.
	edits     int
	unwritten bool
	reading   task
	version   int64

	// due reports that an event is due; changed and outcomes are part of it.
	due      bool
	changed  []Change
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
	now := g.l.now()
	var ids []string
	for _, e := range slices.Backward(entries) {
		r := g.find(e.ID)
		if r == nil {
			r = &Request{ID: e.ID, Label: plainLabel(e.Label), FirstSeen: now}
			g.put(r)
			ids = append(ids, r.ID)
		}
		if r.Answer == nil || r.Pending() {
			g.l.lookUps.want(r.ID)
		}
	}
	if len(ids) > 0 {
		g.edited(func(ctx context.Context) error { return g.l.memory.Ledger.Remember(ctx, now, ids...) })
	}
	for _, id := range ids {
		if label := g.find(id).Label; label != "" {
			g.keepLabel(id, label)
		}
	}
}

// enterAgain writes a request that may have been removed, with its response and its
// certificate. The store keeps newer data.
func (g *ledger) enterAgain(ctx context.Context, r *Request) error {
	kept := g.l.memory.Ledger
	return errors.Join(
		kept.Remember(ctx, r.FirstSeen, r.ID),
		kept.Record(ctx, store.LookUp{ID: r.ID, At: r.AnsweredAt, Answer: r.Answer}),
		kept.SetCertificate(ctx, r.ID, r.Certificate),
	)
}

func (g *ledger) keepLabel(id, label string) {
	now := g.l.now()
	g.edited(func(ctx context.Context) error { return g.l.memory.Ledger.SetLabel(ctx, id, label, now) })
}

func (g *ledger) restore(r Request) {
	if g.find(r.ID) != nil {
		return
	}
	r.Fetching, r.NextAt, r.wanted = false, time.Time{}, false
	g.resume(&r)
	g.put(&r)
	now := g.l.now()
	g.edited(func(ctx context.Context) error {
		return errors.Join(
			g.enterAgain(ctx, &r),
			g.l.memory.Ledger.SetLabel(ctx, r.ID, r.Label, now),
			g.l.memory.Ledger.Look(ctx, r.ID, r.Looked),
		)
	})
}

func (g *ledger) edited(write func(ctx context.Context) error) {
	g.edits++
	g.due = true
	g.l.keep(LedgerWrites, write)
}

func (g *ledger) read() {
	if !g.opened || !g.reading.begin() {
		return
	}
	edits, version := g.edits, int64(0)
	read(g.l, func(ctx context.Context) (kept []store.LedgerEntry, err error) {
		if version, err = g.l.store.Version(ctx); err != nil {
			return nil, err
		}
		return g.l.memory.Ledger.Entries(ctx)
	}, func(kept []store.LedgerEntry, err error) {
		g.reading.busy = false
		if err != nil && !g.unread && g.l.ctx.Err() == nil {
			g.due, g.failed = true, err
		}
		if g.unread = err != nil; !g.unread {
			g.version = version
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
	g.due, g.followed = g.due || news, g.followed || news && g.l.options.Journal != nil
	g.loaded = true
	unchecked := g.l.certificates.unchecked
	for _, r := range g.all {
		if r.FileStatus == NotVerified {
			unchecked = append(unchecked, r.ID)
		}
	}
	g.l.certificates.check(unchecked)
}

func (g *ledger) resume(r *Request) {
	if r.wanted = r.Answer == nil; r.Pending() {
		r.NextAt = g.l.wall()
	}
}

func (g *ledger) settle() {
	if g.due {
		g.shared = true
		g.l.out.put(LedgerEvent{Requests: slices.Clip(g.all), Changed: g.changed, Answered: g.outcomes, Err: g.failed})
		g.due, g.changed, g.outcomes, g.failed = false, nil, nil, nil
	}
	if g.followed {
		g.followed = false
		g.l.annotations.due = true
	}
	g.record()
	g.read()
}
