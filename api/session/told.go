package session

import (
	"context"
	"reflect"

	"tonne/model"
)

// ToldEvent carries what people and this machine know of retirements beside the
// answers of the service.
type ToldEvent struct {
	// Facts are the buyer's; nil for none.
	Facts *model.BuyerFacts
	// Sightings are what people saw in registries, oldest first.
	Sightings []model.Sighting
	// Journal is what the journal has of requests, by their ids.
	Journal map[string]model.Journaled
}

// Resource is what was told.
func (ToldEvent) Resource() string { return "told" }

// Look keeps that a person looks at a request as it is now.
func (s *Session) Look(id string) {
	s.mail.Post(func(l *loop) {
		r := l.ledger.find(id)
		if r == nil || !r.Changed() {
			return
		}
		status := r.Answer.Status
		l.ledger.change(id, func(r *Request) { r.Looked = status })
		l.ledger.edited(func(ctx context.Context) error { return l.store.Look(ctx, l.origin, id, status) })
	})
}

// See keeps what a person saw in a registry, for good.
func (s *Session) See(seen model.Sighting) {
	s.mail.Post(func(l *loop) {
		l.keep(LedgerWrites, func(ctx context.Context) error { return l.store.AddSighting(ctx, l.origin, seen) })
		l.told.read()
	})
}

// Tell keeps what a buyer knows of credits.
func (s *Session) Tell(facts ...model.BuyerFact) {
	s.mail.Post(func(l *loop) {
		l.keep(LedgerWrites, func(ctx context.Context) error { return l.store.PutFacts(ctx, l.origin, facts) })
		l.told.read()
	})
}

// told is what was told, as it was read last.
type told struct {
	l     *loop
	facts []model.BuyerFact
	last  ToldEvent
	// reading says that a read is under way, again that another is to follow.
	reading, again bool
}

// read reads what was told anew, after all that was asked for before, and tells
// what is new. Who asks while it reads is served by one more read.
func (t *told) read() {
	if t.again = t.reading; t.reading {
		return
	}
	t.reading = true
	var facts []model.BuyerFact
	var now ToldEvent
	fractions, known := t.l.ledger.fractions(), t.l.ledger.known()
	var missing []string
	t.l.read(func(ctx context.Context) (err error) {
		if facts, err = t.l.store.Facts(ctx, t.l.origin); err != nil {
			return err
		}
		if now.Sightings, err = t.l.store.Sightings(ctx, t.l.origin); err != nil || t.l.journal == nil {
			return err
		}
		calls, err := t.l.journal(ctx)
		if len(calls) > 0 {
			now.Journal = make(map[string]model.Journaled)
		}
		for id, of := range model.FollowCalls(calls, fractions) {
			now.Journal[id] = model.NewJournaled(id, of)
			if known != nil && !known[id] {
				missing = append(missing, id)
			}
		}
		return err
	}, func(err error) {
		t.reading = false
		if t.again {
			t.read()
		}
		if err != nil {
			return
		}
		if len(missing) > 0 {
			t.l.ledger.enter(missing)
		}
		same := reflect.DeepEqual(facts, t.facts)
		if same && reflect.DeepEqual(now.Sightings, t.last.Sightings) && reflect.DeepEqual(now.Journal, t.last.Journal) {
			return
		}
		now.Facts, t.facts = t.last.Facts, facts
		if !same {
			now.Facts = model.NewBuyerFacts(facts)
		}
		t.last = now
		t.l.out.Put(now)
	})
}
