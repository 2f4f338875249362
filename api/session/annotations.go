package session

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"tonne/model/attribute"
	"tonne/model/retirement"
)

// AnnotationsEvent carries data of users and of this machine about retirement requests, in
// addition to the responses of the service.
type AnnotationsEvent struct {
	// Facts are the attributes that the buyer entered, or nil.
	Facts *attribute.Facts
	// Observations are what users saw in registries, oldest first.
	Observations []retirement.Observation
	// Journal has the calls of the journal by request id.
	Journal map[string]retirement.Journaled
}

// Look records that the user has seen the current state of a request.
func (s *Session) Look(id string) {
	s.post(func(l *loop) {
		r := l.ledger.find(id)
		if r == nil || !r.Changed() {
			return
		}
		status := r.Answer.Status
		l.ledger.change(id, func(r *Request) { r.Looked = status })
		l.ledger.edited(func(ctx context.Context) error { return l.memory.Ledger.Look(ctx, id, status) })
	})
}

// See stores an observation of a registry permanently.
func (s *Session) See(seen retirement.Observation) {
	s.post(func(l *loop) {
		l.keep(LedgerWrites, func(ctx context.Context) error { return l.memory.Annotations.AddObservation(ctx, seen) })
		l.annotations.due = true
	})
}

type annotations struct {
	l     *loop
	facts []attribute.Fact
	last  AnnotationsEvent
	task
}

func (t *annotations) settle() {
	if !t.begin() {
		return
	}
	var fractions []*retirement.Request
	for _, r := range t.l.ledger.all {
		if r.Answer != nil && r.Answer.Type == retirement.Fractionalised {
			fractions = append(fractions, r.Answer)
		}
	}
	read(t.l, func(ctx context.Context) (annotationsRead, error) {
		return readAnnotations(ctx, t.l, fractions)
	}, func(now annotationsRead, err error) {
		if t.busy = false; err == nil {
			t.take(now)
		}
	})
}

type annotationsRead struct {
	event AnnotationsEvent
	facts []attribute.Fact
}

func readAnnotations(ctx context.Context, l *loop, fractions []*retirement.Request) (n annotationsRead, err error) {
	if n.facts, err = l.memory.Annotations.Facts(ctx); err != nil {
		return n, err
	}
	if n.event.Observations, err = l.memory.Annotations.Observations(ctx); err != nil || l.options.Journal == nil {
		return n, err
	}
	calls, err := l.options.Journal(ctx)
	if len(calls) > 0 {
		n.event.Journal = make(map[string]retirement.Journaled)
	}
	for id, placed := range retirement.FollowCalls(calls, fractions) {
		n.event.Journal[id] = retirement.NewJournaled(id, placed)
	}
	return n, err
}

func (t *annotations) take(now annotationsRead) {
	if t.l.ledger.loaded && len(now.event.Journal) > 0 {
		// A program that was killed after the response has not entered them.
		at, entered := t.l.now(), false
		t.l.write(func(ctx context.Context) (err error) {
			entered, err = t.l.memory.Ledger.RememberJournaled(ctx, at, slices.Sorted(maps.Keys(now.event.Journal))...)
			return err
		}, func(error) { t.l.ledger.reading.due = t.l.ledger.reading.due || entered })
	}
	event, same := now.event, reflect.DeepEqual(now.facts, t.facts)
	if same && reflect.DeepEqual(event.Observations, t.last.Observations) && reflect.DeepEqual(event.Journal, t.last.Journal) {
		return
	}
	event.Facts, t.facts = t.last.Facts, now.facts
	if !same {
		event.Facts = attribute.NewFacts(now.facts)
	}
	t.last = event
	t.l.out.put(event)
}
