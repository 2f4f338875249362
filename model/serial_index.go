package model

import (
	"cmp"
	"slices"
	"strings"
)

// OwnedSerial is a serial number with the request that retired it, which is
// counted by whoever makes the index.
type OwnedSerial struct {
	Serial
	Owner int
}

// SerialIndex finds serial numbers by a credit or by a range of credits. It is
// not changed once it is built, and may be used from any goroutine.
type SerialIndex struct {
	// sorted are the ranges by where they start. last is, for each stretch of
	// them that a search may skip, the last credit that one of it reaches: a
	// balanced tree whose root is in the middle.
	sorted []OwnedSerial
	last   []int64
}

// NewSerialIndex returns an index of serials. Those that could not be read,
// the zero Serial, are in no range and are left out.
func NewSerialIndex(serials []OwnedSerial) *SerialIndex {
	x := &SerialIndex{sorted: slices.DeleteFunc(slices.Clone(serials), func(s OwnedSerial) bool { return s.Serial == Serial{} })}
	slices.SortStableFunc(x.sorted, func(a, b OwnedSerial) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	x.last = make([]int64, len(x.sorted))
	x.reach(0, len(x.sorted))
	return x
}

func (x *SerialIndex) reach(low, high int) int64 {
	if low >= high {
		return -1
	}
	mid := low + (high-low)/2
	x.last[mid] = max(x.sorted[mid].End, x.reach(low, mid), x.reach(mid+1, high))
	return x.last[mid]
}

// Overlapping returns the serials that hold a credit from start to end, both
// included, in the order of their starts. A block, which may be empty for any,
// is a Serial's: the same numbers stand for other credits in other blocks.
func (x *SerialIndex) Overlapping(block string, start, end int64) []OwnedSerial {
	var found []OwnedSerial
	x.overlapping(block, start, end, func(s *OwnedSerial) { found = append(found, *s) })
	return found
}

func (x *SerialIndex) overlapping(block string, start, end int64, found func(*OwnedSerial)) {
	x.search(0, len(x.sorted), start, end, func(s *OwnedSerial) {
		if block == "" || s.Block == block {
			found(s)
		}
	})
}

func (x *SerialIndex) search(low, high int, start, end int64, found func(*OwnedSerial)) {
	for low < high {
		mid := low + (high-low)/2
		if x.last[mid] < start {
			return
		}
		x.search(low, mid, start, end, found)
		if x.sorted[mid].Start > end {
			return
		}
		if x.sorted[mid].End >= start {
			found(&x.sorted[mid])
		}
		low = mid + 1
	}
}

// SerialOverlap says that two requests retired the same credits.
type SerialOverlap struct {
	// A and B are the serials; that of A starts first.
	A, B OwnedSerial
	// Start and End are the first and the last credit that both hold.
	Start, End int64
}

// RetiredTwice returns the serials that share credits with those of another
// owner, each with the one that reaches furthest of those before it: every
// request that shares a credit with another is named. What one owner lists
// twice is no matter of the ledger.
func RetiredTwice(serials []OwnedSerial) []SerialOverlap {
	sorted := slices.Clone(serials)
	slices.SortStableFunc(sorted, func(a, b OwnedSerial) int {
		return cmp.Or(strings.Compare(a.Block, b.Block), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	var overlaps []SerialOverlap
	var far furthest
	for i, s := range sorted {
		if s.Serial == (Serial{}) {
			continue
		}
		if i == 0 || s.Block != sorted[i-1].Block {
			far = furthest{}
		}
		if other, ok := far.butOf(s.Owner); ok && other.End >= s.Start {
			overlaps = append(overlaps, SerialOverlap{A: other, B: s, Start: s.Start, End: min(other.End, s.End)})
		}
		far.add(s)
	}
	return overlaps
}

// furthest keeps the serials that reach furthest, of two owners.
type furthest struct {
	serials [2]OwnedSerial
	count   int
}

func (f *furthest) add(s OwnedSerial) {
	switch {
	case f.count == 0:
		f.serials[0], f.count = s, 1
	case s.Owner == f.serials[0].Owner:
		if s.End > f.serials[0].End {
			f.serials[0] = s
		}
	case f.count == 1 || s.End > f.serials[1].End:
		f.serials[1], f.count = s, 2
	}
	if f.count == 2 && f.serials[1].End > f.serials[0].End {
		f.serials[0], f.serials[1] = f.serials[1], f.serials[0]
	}
}

func (f *furthest) butOf(owner int) (OwnedSerial, bool) {
	for _, s := range f.serials[:f.count] {
		if s.Owner != owner {
			return s, true
		}
	}
	return OwnedSerial{}, false
}
