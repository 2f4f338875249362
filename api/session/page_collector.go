package session

import (
	"time"

	"tonne/model"
)

// pageCollector collects the pages of one read of a listing and decides when to tell
// of them. It belongs to the goroutine of the read.
type pageCollector[P, T any] struct {
	first bool // nothing is shown yet
	join  func(...P) T
	parts []P
	done  int
	// told is how many parts the last partial listing had.
	told   int
	toldAt time.Time
}

func newPageCollector[P, T any](first bool, join func(...P) T) *pageCollector[P, T] {
	return &pageCollector[P, T]{first: first, join: join}
}

// add takes a page. It returns a partial listing when there are enough new
// pages to be worth one: each has half as many pages again as the one before,
// so that a long read costs no more than a few of its own.
func (a *pageCollector[P, T]) add(part P, page model.Page) (partial T, tell bool) {
	if page.Current == 1 {
		a.parts, a.done, a.told = nil, 0, 0
	}
	a.done++
	if a.first {
		a.parts = append(a.parts, part)
	}
	if page.TotalPages <= 1 || a.done > 1 && time.Since(a.toldAt) < progressGap {
		return partial, false
	}
	a.toldAt = time.Now()
	if a.first && len(a.parts) >= a.told+a.told/2 {
		a.told = len(a.parts)
		partial = a.join(a.parts...)
	}
	return partial, true
}
