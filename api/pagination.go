package api

import (
	"context"
	"net/url"
	"strings"
	"sync"

	"tonne/api/worker"
	"tonne/model"
)

const (
	maxPages = 10_000
	// againConnections replaces connections when a listing is read again, so that
	// requests of the user are not delayed.
	againConnections = 4
	// maxRestarts limits how often a listing that changes while it is read is
	// restarted.
	maxRestarts = 2
)

type listing[T any] struct {
	client *Client
	name   string
	// path and query address a page; pages count from 1. A perPage of 0 selects a
	// suitable size.
	path    string
	query   func(page, perPage int) url.Values
	perPage int
	decode  func(body []byte) (T, model.Page, error)
	// kept has the pages of the previous read, or is nil.
	kept keeper[T]
	ids  func(T) []string
	// decoding is not nil if the listing was read before. Then fewer connections are
	// used, and one page is decoded at a time.
	decoding *sync.Mutex
	// each, if not nil, is called with every valid page in order.
	each func(T, model.Page)
	// forget reports that the values of pages are only for each.
	forget bool
	// again, if not nil, is called before the listing is read again.
	again func()
}

// keeper has the pages of the previous read.
type keeper[T any] interface {
	// tag returns the tag of a page, or "" if none is known for the query.
	tag(page int, query url.Values) string
	page(n int) (T, model.Page)
	// current reports whether the read had this version of the listing.
	current(version string) bool
}

func readPage[T any](ctx context.Context, c *Client, path string, query url.Values,
	decode func([]byte) (T, model.Page, error)) (value T, page model.Page, err error) {
	a, err := c.send(ctx, request{path: path, query: query})
	if err != nil {
		return value, page, err
	}
	value, page, err = decode(a.body)
	return value, page, c.notTheAPI(err)
}

type pageRead[T any] struct {
	answer
	value T
	page  model.Page
	// current reports that no page of the listing changed.
	current bool
}

func values[T any](pages []pageRead[T]) []T {
	values := make([]T, len(pages))
	for i, p := range pages {
		values[i] = p.value
	}
	return values
}

// read returns the pages of the listing in order, or none if the listing did not
// change. If the number of items changes during the read, items may have been missed
// between two pages; the listing is then read again, at most maxRestarts times. With
// an error of kind Incomplete, read returns the pages that were read.
func (l listing[T]) read(ctx context.Context) ([]pageRead[T], error) {
	for restarts := 0; ; restarts++ {
		pages, moved, err := l.readOnce(ctx)
		if !moved || restarts == maxRestarts || err != nil && KindOf(err) != Incomplete {
			return pages, err
		}
		if l.again != nil {
			l.again()
		}
	}
}

// readOnce returns the pages, and reports whether the listing changed during the read.
// The listing is complete if the largest total of any page is reached.
func (l listing[T]) readOnce(ctx context.Context) (pages []pageRead[T], moved bool, err error) {
	first, err := l.page(ctx, 1)
	if err == nil && !first.current && first.page.TotalItems > 0 && len(l.ids(first.value)) == 0 {
		first, err = l.page(ctx, 1)
	}
	if err != nil || first.current {
		return nil, false, err
	}
	seen, items := make(map[string]bool), first.page.TotalItems
	l.take(&pages, seen, first)
	listed, ended := first.page.TotalPages, len(seen) == 0
	if !ended && listed > 1 {
		err = l.inOrder(ctx, 2, min(listed, maxPages), func(n int, read pageRead[T]) (bool, error) {
			for again := false; ; again = true {
				moved = moved || read.page.TotalItems != first.page.TotalItems
				items = max(items, read.page.TotalItems)
				ended = !l.take(&pages, seen, read)
				if !ended || again || len(seen) >= items {
					return !ended, nil
				}
				if read, err = l.page(ctx, n); err != nil {
					return false, err
				}
			}
		})
	}
	switch {
	case err != nil:
		return nil, false, err
	case !ended && listed > maxPages:
		return pages, false, tooManyPages(l.name, len(seen), items, listed)
	case len(seen) < items:
		return pages, moved, incomplete(l.name, len(seen), items)
	}
	return pages, moved, nil
}

func (l listing[T]) take(pages *[]pageRead[T], seen map[string]bool, read pageRead[T]) bool {
	before := len(seen)
	for _, id := range l.ids(read.value) {
		// The id of a page would keep much of the page in memory.
		seen[strings.Clone(id)] = true
	}
	if len(seen) == before && len(*pages) > 0 {
		return false
	}
	if l.each != nil {
		l.each(read.value, read.page)
	}
	if l.forget {
		read.value = *new(T)
	}
	*pages = append(*pages, read)
	return true
}

// inOrder fetches pages over several connections and passes them to take in order,
// until the last page, an error, or take returns false. No fetch is running when it
// returns.
func (l listing[T]) inOrder(ctx context.Context, from, to int,
	take func(page int, read pageRead[T]) (more bool, err error)) error {
	ctx, cancel := context.WithCancel(ctx)
	slots := make(chan struct{}, connections)
	if l.decoding != nil {
		slots = make(chan struct{}, againConnections)
	}
	ahead := 2 * cap(slots)
	if l.forget {
		// Pages that wait for each would be most of the memory.
		ahead = cap(slots)
	}
	var waiting []func() (pageRead[T], error)
	defer func() {
		cancel()
		for _, wait := range waiting {
			_, _ = wait()
		}
	}()
	for next, page := from, from; ; page++ {
		for ; next <= to && len(waiting) < ahead; next++ {
			waiting = append(waiting, l.start(ctx, next, slots))
		}
		if len(waiting) == 0 {
			return nil
		}
		wait := waiting[0]
		waiting = waiting[1:]
		read, err := wait()
		if err != nil {
			return err
		}
		if more, err := take(page, read); err != nil || !more {
			return err
		}
	}
}

func (l listing[T]) start(ctx context.Context, page int, slots chan struct{}) func() (pageRead[T], error) {
	var read pageRead[T]
	wait := worker.Start(func() (err error) {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return transportError(ctx, ctx.Err())
		}
		a, err := l.fetchSized(ctx, page)
		<-slots
		if err == nil {
			read, err = l.open(page, a)
		}
		return err
	})
	return func() (pageRead[T], error) {
		err := wait()
		return read, err
	}
}

func (l listing[T]) page(ctx context.Context, page int) (pageRead[T], error) {
	return l.start(ctx, page, make(chan struct{}, 1))()
}

func (l listing[T]) open(page int, a answer) (read pageRead[T], err error) {
	if l.decoding != nil {
		l.decoding.Lock()
		defer l.decoding.Unlock()
	}
	read.answer, read.body = a, nil
	switch {
	case page == 1 && l.kept != nil && l.kept.current(a.version):
		read.current = true
	case a.unchanged:
		read.value, read.page = l.kept.page(page)
	default:
		read.value, read.page, err = l.decode(a.body)
	}
	return read, l.client.notTheAPI(err)
}

func (l listing[T]) fetchSized(ctx context.Context, page int) (answer, error) {
	if l.perPage > 0 || l.client.cappedPages.Load() {
		return l.fetch(ctx, page, l.perPage)
	}
	a, err := l.fetch(ctx, page, listingPageSize)
	if KindOf(err) == Invalid {
		// The service may choose its own page size.
		if a, err = l.fetch(ctx, page, 0); err == nil {
			l.client.cappedPages.Store(true)
		}
	}
	return a, err
}

func (l listing[T]) fetch(ctx context.Context, page, perPage int) (answer, error) {
	// After the first page, a poll waits if the service limits the rate. Otherwise it
	// would never reach the end of the listing.
	r := request{path: l.path, query: l.query(page, perPage), bulk: page > 1 || l.client.options.Retries > 0}
	if l.kept != nil {
		r.tag = l.kept.tag(page, r.query)
	}
	a, err := l.client.send(ctx, r)
	a.query = r.query.Encode()
	return a, err
}
