package retirement

import (
	"context"
	"errors"
	"strings"

	"tonne/model/store"
	"tonne/ui/effect"
)

// Start reads the ledger and follows what may still change, whichever tab is
// shown.
func (t *Tab) Start() effect.Effect {
	return effect.Batch(t.keeper.read(), t.findDirectory())
}

// Close writes what is left to write. The dashboard has ended by then.
func (t *Tab) Close() error { return t.keeper.flush() }

// recall takes over what the store remembers. Where that is current, what
// another dashboard changed is taken over too: labels, answers, certificates,
// and what it removed.
func (t *Tab) recall(kept []store.LedgerEntry, current bool) effect.Effect {
	if t.recalled && !current {
		// What was changed here meanwhile is newer.
		return nil
	}
	there := make(map[string]bool, len(kept))
	for _, k := range kept {
		there[k.ID] = true
		switch known := t.ledger.find(k.ID); {
		case known == nil:
			e := newEntry(k)
			t.ledger.put(e)
			t.resume(e)
		case current:
			t.ledger.change(k.ID, func(e *entry) { e.update(newEntry(k)) })
		}
	}
	if current {
		t.ledger.remove(func(e *entry) bool {
			if !there[e.id] {
				t.feed.Unfollow(e.id)
			}
			return !there[e.id]
		})
	}
	t.recalled = true
	return effect.Batch(t.settle(), t.tellProblem(), t.prove())
}

// update takes over what another dashboard has written since.
func (e *entry) update(kept *entry) {
	e.label = kept.label
	if kept.at.After(e.at) {
		e.answer, e.at, e.err = kept.answer, kept.at, kept.err
	}
	if kept.certificate.FetchedAt.After(e.certificate.FetchedAt) {
		e.certificate, e.proof = kept.certificate, unproved
	}
}

// resume follows a request that is remembered, or looks it up where there is
// no answer yet.
func (t *Tab) resume(e *entry) {
	switch {
	case e.answer == nil:
		t.feed.LookUp(e.id)
	case e.pending():
		t.feed.Follow(e.id, e.first)
	}
}

// tellProblem says once that nothing outlives this run, when the tab is shown.
// The whole sentence stands below the ledger.
func (t *Tab) tellProblem() effect.Effect {
	problem := t.o.Store.Problem()
	if problem == nil || t.told {
		return nil
	}
	t.problem = sentence(problem)
	t.told = t.active
	if !t.active {
		return nil
	}
	return effect.Warn("The ledger is kept for this run only. Below it stands why.")
}

// sentence returns an error as a sentence.
func sentence(err error) string {
	text := err.Error()
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// remember enters requests in the store, the first of them last, so that it
// comes first in the ledger.
func (t *Tab) remember(entries ...*entry) effect.Effect {
	if len(entries) == 0 {
		return nil
	}
	at, ids := entries[0].first, make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	return t.keeper.do(func(ctx context.Context) error { return t.o.Store.Remember(ctx, t.o.Origin, at, ids...) })
}

// rememberAll enters a request in the store with all that is known of it.
func (t *Tab) rememberAll(e *entry) effect.Effect {
	at := t.view.Now()
	return t.keeper.do(func(ctx context.Context) error {
		s, origin := t.o.Store, t.o.Origin
		lookUp := store.LookUp{ID: e.id, At: e.at, Answer: e.answer}
		return errors.Join(
			s.Remember(ctx, origin, e.first, e.id),
			s.Record(ctx, origin, lookUp),
			s.SetLabel(ctx, origin, e.id, e.label, at),
			s.SetCertificate(ctx, origin, e.id, e.certificate),
		)
	})
}
