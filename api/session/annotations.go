package session

import (
	"context"
	"reflect"

	"tonne/model"
)

// AnnotationsEvent carries what people and this machine know of retirements beside the
// answers of the service.
type AnnotationsEvent struct {
	// Facts are the buyer's; nil for none.
	Facts *model.BuyerFacts
	// Observations are what people saw in registries, oldest first.
	Observations []model.RegistryObservation
	// Journal is what the journal has of requests, by their ids.
	Journal map[string]model.Journaled
}

// Look keeps that a person looks at a request as it is now.
func (s *Session) Look(id string) {
	s.post(func(l *loop) {
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
func (s *Session) See(seen model.RegistryObservation) {
	s.post(func(l *loop) {
		l.keep(LedgerWrites, func(ctx context.Context) error { return l.store.AddSighting(ctx, l.origin, seen) })
		l.annotations.read()
	})
}

// Tell keeps what a buyer knows of credits.
func (s *Session) Tell(facts ...model.BuyerFact) {
	s.post(func(l *loop) {
		l.keep(LedgerWrites, func(ctx context.Context) error { return l.store.PutFacts(ctx, l.origin, facts) })
		l.annotations.read()
	})
}

// annotations are what was told, as it was read last.
type annotations struct {
	l     *loop
	facts []model.BuyerFact
	last  AnnotationsEvent
	// reading says that a read is under way, again that another is to follow.
	reading, again bool
}

// read reads what was told anew, after all that was asked for before, and tells
// what is new. Who asks while it reads is served by one more read.
func (t *annotations) read() {
	if t.again = t.reading; t.reading {
		return
	}
	t.reading = true
	now := annotationsRead{fractions: t.l.ledger.fractions(), known: t.l.ledger.known()}
	t.l.read(func(ctx context.Context) error { return now.read(ctx, t.l) }, func(err error) {
		t.reading = false
		if t.again {
			t.read()
		}
		if err == nil {
			t.take(now)
		}
	})
}

// annotationsRead is what is being read of what was told.
type annotationsRead struct {
	fractions []*model.Retirement
	known     map[string]bool
	event     AnnotationsEvent
	facts     []model.BuyerFact
	// missing are the requests of the journal that the ledger does not know.
	missing []string
}

func (n *annotationsRead) read(ctx context.Context, l *loop) (err error) {
	if n.facts, err = l.store.Facts(ctx, l.origin); err != nil {
		return err
	}
	if n.event.Observations, err = l.store.Observations(ctx, l.origin); err != nil || l.options.Journal == nil {
		return err
	}
	calls, err := l.options.Journal(ctx)
	if len(calls) > 0 {
		n.event.Journal = make(map[string]model.Journaled)
	}
	for id, of := range model.FollowCalls(calls, n.fractions) {
		n.event.Journal[id] = model.NewJournaled(id, of)
		if n.known != nil && !n.known[id] {
			n.missing = append(n.missing, id)
		}
	}
	return err
}

func (t *annotations) take(now annotationsRead) {
	if len(now.missing) > 0 {
		t.l.ledger.enter(now.missing)
	}
	event, same := now.event, reflect.DeepEqual(now.facts, t.facts)
	if same && reflect.DeepEqual(event.Observations, t.last.Observations) && reflect.DeepEqual(event.Journal, t.last.Journal) {
		return
	}
	event.Facts, t.facts = t.last.Facts, now.facts
	if !same {
		event.Facts = model.NewBuyerFacts(now.facts)
	}
	t.last = event
	t.l.out.put(event)
}
