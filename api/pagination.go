package api

import (
	"context"
	"fmt"
	"runtime/debug"

	"tonne/model"
)

const (
	// maxPages is how many pages of one listing are read.
	maxPages = 10_000
	// maxRestarts is how often a listing is read again from its start because
	// it grew or shrank while it was read.
	maxRestarts = 2
)

// listing reads all pages of one listing.
type listing[T any] struct {
	client *Client
	// fetch gets a page, counted from 1, and decode reads what it got. The two
	// are apart so that a connection is not idle while its last page is read.
	fetch  func(ctx context.Context, page int) ([]byte, error)
	decode func(body []byte) (T, model.Page, error)
	// ids returns the ids of the projects on a page.
	ids func(T) []string
	// each is told of every page that counts, in order; it may be nil.
	each func(T, model.Page)
}

type pageRead[T any] struct {
	value T
	page  model.Page
	err   error
	// panicked is what a panic said, with its stack.
	panicked string
}

// failed returns why a page could not be read. A panic goes on in the caller's
// goroutine.
func (r pageRead[T]) failed() error {
	if r.panicked != "" {
		panic(r.panicked)
	}
	return r.err
}

// read returns the pages of the listing in order. A listing whose number of
// items moved while it was read is read again: what moved between two pages
// may have been missed. After a few times it is taken as it is.
func (l listing[T]) read(ctx context.Context) ([]T, error) {
	for restarts := 0; ; restarts++ {
		pages, moved, err := l.readOnce(ctx)
		if err != nil || !moved || restarts == maxRestarts {
			return pages, err
		}
	}
}

// readOnce returns the pages and reports whether the listing moved meanwhile.
func (l listing[T]) readOnce(ctx context.Context) (pages []T, moved bool, err error) {
	first := <-l.start(ctx, 1, make(chan struct{}, 1))
	if err := first.failed(); err != nil {
		return nil, false, err
	}
	page, seen := first.page, make(map[string]bool)
	l.take(&pages, seen, first.value, page)
	last, items := min(page.TotalPages, maxPages), page.TotalItems
	if len(seen) == 0 || last <= 1 {
		return pages, false, nil
	}
	complete := false
	err = l.inOrder(ctx, 2, last, func(value T, page model.Page) bool {
		moved = moved || page.TotalItems != items
		complete = !l.take(&pages, seen, value, page)
		return !complete
	})
	if err == nil && !complete && page.TotalPages > maxPages {
		err = &Error{Kind: NotTheAPI, Message: fmt.Sprintf("the service lists more than %d pages", maxPages)}
	}
	if err != nil {
		return nil, false, err
	}
	return pages, moved, nil
}

// take adds a page unless it is empty or holds nothing new.
func (l listing[T]) take(pages *[]T, seen map[string]bool, value T, page model.Page) bool {
	before := len(seen)
	for _, id := range l.ids(value) {
		seen[id] = true
	}
	if len(seen) == before && len(*pages) > 0 {
		return false
	}
	*pages = append(*pages, value)
	if l.each != nil {
		l.each(value, page)
	}
	return true
}

// inOrder fetches pages over several connections and hands them on in order,
// until there are none left, one fails, or take returns false. No fetch is
// under way when it returns.
func (l listing[T]) inOrder(ctx context.Context, from, to int, take func(T, model.Page) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	slots := make(chan struct{}, connections)
	var waiting []chan pageRead[T]
	defer func() {
		cancel()
		for _, read := range waiting {
			<-read
		}
	}()
	for next := from; ; {
		for ; next <= to && len(waiting) < 2*connections; next++ {
			waiting = append(waiting, l.start(ctx, next, slots))
		}
		if len(waiting) == 0 {
			return nil
		}
		read := <-waiting[0]
		waiting = waiting[1:]
		if err := read.failed(); err != nil {
			return err
		}
		if !take(read.value, read.page) {
			return nil
		}
	}
}

// start reads a page in the background, its fetch when there is a slot. A
// panic there is handed back too: it belongs to the caller.
func (l listing[T]) start(ctx context.Context, page int, slots chan struct{}) chan pageRead[T] {
	done := make(chan pageRead[T], 1)
	go func() {
		var read pageRead[T]
		defer func() {
			if p := recover(); p != nil {
				read.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			done <- read
		}()
		body, err := l.inSlot(ctx, page, slots)
		if err != nil {
			read.err = err
			return
		}
		defer l.client.release(body)
		read.value, read.page, err = l.decode(body)
		read.err = notTheAPI(err)
	}()
	return done
}

// inSlot fetches a page while it holds one of the slots.
func (l listing[T]) inSlot(ctx context.Context, page int, slots chan struct{}) ([]byte, error) {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nil, transportError(ctx, ctx.Err())
	}
	defer func() { <-slots }()
	return l.fetch(ctx, page)
}
