package retirement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tonne/model"
)

// OwnedSerial is a serial number with the index of its request.
type OwnedSerial struct {
	Serial
	Owner int
}

// Claims returns the serial numbers of a request for RetiredTwice and Overlaps. A text with
// digits in an unknown format becomes a block without known credits, because the same text
// in another request may mean the same credits.
func (r Request) Claims(owner int) []OwnedSerial {
	claims := make([]OwnedSerial, 0, len(r.SerialNumbers))
	for _, text := range r.SerialNumbers {
		s, known := ParseSerial(text)
		if !known && strings.ContainsAny(text, "0123456789") {
			s = Serial{Block: text}
		}
		claims = append(claims, OwnedSerial{Serial: s, Owner: owner})
	}
	return claims
}

// Unread reports whether s is a text in an unknown format, returned by Claims.
func (s Serial) Unread() bool { return s.Block != "" && s.Registry == "" && s.Tonnes == 0 }

// SerialOverlap is a range of credits that two requests retired.
type SerialOverlap struct {
	// A and B are the serials. A starts first.
	A, B OwnedSerial
	// Start and End are the first and the last common credit.
	Start, End int64
}

// String returns the common credits, such as "Verra 5 to 9".
func (o SerialOverlap) String() string {
	if o.A.Unread() {
		return "the same text " + o.A.Block
	}
	return fmt.Sprintf("%s %s to %s", o.A.Registry, model.FormatNumber(o.Start), model.FormatNumber(o.End))
}

// Sure reports whether the blocks are equal, and not only the numbers.
func (o SerialOverlap) Sure() bool { return o.A.Block == o.B.Block }

// RetiredTwice returns the overlaps between different owners. Each serial is paired with the
// earlier serial that ends last, so that every owner of common credits is named.
func RetiredTwice(serials []OwnedSerial) []SerialOverlap {
	return overlapping(serials, func(s Serial) string { return s.Block })
}

// Overlaps returns the sure and possible overlaps with other owners, by owner.
//
// Verra numbers credits across all batches. So serials with the same numbers that differ in
// batch, programme or flag may be the same credits.
func Overlaps(serials []OwnedSerial) map[int][]SerialOverlap {
	verra := slices.DeleteFunc(slices.Clone(serials), func(s OwnedSerial) bool { return s.Registry != Verra })
	maybe := overlapping(verra, func(s Serial) string { return fmt.Sprintf("%s %d %d", s.Project, s.FirstYear, s.LastYear) })
	by := make(map[int][]SerialOverlap)
	for _, o := range slices.Concat(RetiredTwice(serials), slices.DeleteFunc(maybe, SerialOverlap.Sure)) {
		for _, owner := range [...]int{o.A.Owner, o.B.Owner} {
			by[owner] = append(by[owner], o)
		}
	}
	return by
}

func overlapping(serials []OwnedSerial, blockOf func(Serial) string) (overlaps []SerialOverlap) {
	type inBlock struct {
		OwnedSerial
		block string
	}
	sorted := make([]inBlock, 0, len(serials))
	for _, s := range serials {
		if s.Serial != (Serial{}) {
			sorted = append(sorted, inBlock{s, blockOf(s.Serial)})
		}
	}
	slices.SortStableFunc(sorted, func(a, b inBlock) int {
		return cmp.Or(strings.Compare(a.block, b.block), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	// far has the two owners of the block whose serials end last.
	var far []inBlock
	for _, s := range sorted {
		far = slices.DeleteFunc(far, func(o inBlock) bool { return o.block != s.block })
		isOwner := func(o inBlock) bool { return o.Owner == s.Owner }
		other := slices.IndexFunc(far, func(o inBlock) bool { return !isOwner(o) })
		if other >= 0 && far[other].End >= s.Start {
			overlaps = append(overlaps, SerialOverlap{A: far[other].OwnedSerial, B: s.OwnedSerial, Start: s.Start, End: min(far[other].End, s.End)})
		}
		if own := slices.IndexFunc(far, isOwner); own < 0 {
			far = append(far, s)
		} else if s.End > far[own].End {
			far[own] = s
		}
		slices.SortStableFunc(far, func(a, b inBlock) int { return cmp.Compare(b.End, a.End) })
		far = far[:min(len(far), 2)]
	}
	return overlaps
}
