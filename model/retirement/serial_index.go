package retirement

import (
	"cmp"
	"slices"
	"strings"
)

// OwnedSerial is a serial number with the number of its request.
type OwnedSerial struct {
	Serial
	Owner int
}

// SerialOverlap says that two requests retired the same credits.
type SerialOverlap struct {
	// A and B are the serials; that of A starts first.
	A, B OwnedSerial
	// Start and End are the first and the last credit that both hold.
	Start, End int64
}

// RetiredTwice returns the serials that share credits with another owner, each with the
// one before it that reaches furthest: every such owner is named. What one owner lists
// twice is left out.
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
