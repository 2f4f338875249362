package chart

import (
	"time"

	"tonne/ui/style"
)

// Period is a time that a chart shows up to its end; 0 is the shortest.
type Period int

// periods are in the order in which a person goes through them. A time of 0 is
// all that is remembered.
var periods = [...]struct {
	name string
	time time.Duration
}{{"24 hours", 24 * time.Hour}, {"30 days", 30 * 24 * time.Hour}, {"all", 0}}

// Next returns the period after p: after the last, the first.
func (p Period) Next() Period { return (p + 1) % Period(len(periods)) }

// Name returns what the period is called.
func (p Period) Name() string { return periods[p].name }

// From returns where the period begins that ends at last. It is not before
// first, the moment of the first thing to show.
func (p Period) From(first, last time.Time) time.Time {
	if begin := last.Add(-periods[p].time); periods[p].time > 0 && begin.After(first) {
		return begin
	}
	return first
}

// Draw names the periods, this one with emphasis, and the key for the next.
func (p Period) Draw(line *style.Line) {
	for i, period := range periods {
		role := style.Faint
		if Period(i) == p {
			role = style.Strong
		}
		line.Put(style.Faint, "  ")
		line.Put(role, period.name)
	}
	line.Put(style.Key, "  c")
	line.Put(style.Faint, " next")
}
