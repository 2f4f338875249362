package session

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"tonne/model/attribute"
	"tonne/model/file/store"
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

type annotations struct {
	*env
	kept    store.Annotations
	journal func(context.Context) ([]retirement.JournalEntry, error)
	ledger  *ledger

	facts []attribute.Fact
	last  AnnotationsEvent
	task
}

// see stores an observation of a registry.
func (t *annotations) see(seen retirement.Observation) {
	t.ledger.keep(func(ctx context.Context) error { return t.kept.AddObservation(ctx, seen) })
	t.due = true
}

func (t *annotations) settle() {
	if t.ledger.followed {
		t.ledger.followed, t.due = false, true
	}
	if !t.begin() {
		return
	}
	var fractions []*retirement.Request
	for _, r := range t.ledger.all {
		if r.Answer != nil && r.Answer.Type == retirement.Fractionalised {
			fractions = append(fractions, r.Answer)
		}
	}
	read(t.env, func(ctx context.Context) (annotationsRead, error) {
		return t.read(ctx, fractions)
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

func (t *annotations) read(ctx context.Context, fractions []*retirement.Request) (n annotationsRead, err error) {
	if n.facts, err = t.kept.Facts(ctx); err != nil {
		return n, err
	}
	if n.event.Observations, err = t.kept.Observations(ctx); err != nil || t.journal == nil {
		return n, err
	}
	calls, err := t.journal(ctx)
	if len(calls) > 0 {
		n.event.Journal = make(map[string]retirement.Journaled)
	}
	for id, placed := range retirement.FollowCalls(calls, fractions) {
		n.event.Journal[id] = retirement.NewJournaled(id, placed)
	}
	return n, err
}

func (t *annotations) take(now annotationsRead) {
	if t.ledger.loaded && len(now.event.Journal) > 0 {
		// A program that was killed after the response has not entered them.
		at, entered := t.now(), false
		t.write(func(ctx context.Context) (err error) {
			entered, err = t.ledger.kept.RememberJournaled(ctx, at, slices.Sorted(maps.Keys(now.event.Journal))...)
			return err
		}, func(error) { t.ledger.reading.due = t.ledger.reading.due || entered })
	}
	event, same := now.event, reflect.DeepEqual(now.facts, t.facts)
	if same && reflect.DeepEqual(event.Observations, t.last.Observations) &&
		reflect.DeepEqual(event.Journal, t.last.Journal) {
		return
	}
	event.Facts, t.facts = t.last.Facts, now.facts
	if !same {
		event.Facts = attribute.NewFacts(now.facts)
	}
	t.last = event
	t.emit(event)
}
