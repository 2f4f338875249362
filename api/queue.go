package api

import (
	"context"
	"slices"
)

// OnBehalfOf returns a context for the calls of one of several people who share a
// client. Where requests have to wait, people take turns. The name is not sent.
func OnBehalfOf(ctx context.Context, person string) context.Context {
	return context.WithValue(ctx, behalf{}, person)
}

type behalf struct{}

// caller is whom a request is for, and what it asks for.
type caller struct{ person, path string }

func callerOf(ctx context.Context, path string) caller {
	person, _ := ctx.Value(behalf{}).(string)
	return caller{person, path}
}

// queue has the callers that wait to send a request. Callers take turns: a caller
// with thousands of requests does not delay the others.
type queue struct {
	// turns are the callers with waiting requests, the next one first.
	turns []caller
	lines map[caller][]*waiter
}

type waiter struct {
	caller caller
	// look has room for one: something has changed.
	look chan struct{}
}

func (w *waiter) wake() {
	select {
	case w.look <- struct{}{}:
	default:
	}
}

func (q *queue) wakeFirst() {
	if w := q.first(); w != nil {
		w.wake()
	}
}

func (q *queue) wakeAll() {
	for _, line := range q.lines {
		for _, w := range line {
			w.wake()
		}
	}
}

func (q *queue) join(c caller) *waiter {
	w := &waiter{c, make(chan struct{}, 1)}
	if len(q.lines[c]) == 0 {
		q.turns = append(q.turns, c)
	}
	q.lines[c] = append(q.lines[c], w)
	return w
}

func (q *queue) first() *waiter {
	if len(q.turns) == 0 {
		return nil
	}
	return q.lines[q.turns[0]][0]
}

func (q *queue) leave(w *waiter) {
	served := q.first() == w
	line := slices.DeleteFunc(q.lines[w.caller], func(other *waiter) bool { return other == w })
	q.lines[w.caller] = line
	if !served && len(line) > 0 {
		return
	}
	q.turns = slices.DeleteFunc(q.turns, func(c caller) bool { return c == w.caller })
	if len(line) > 0 {
		q.turns = append(q.turns, w.caller)
		return
	}
	delete(q.lines, w.caller)
}
