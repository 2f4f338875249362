package retirement

import (
	"fmt"
	"slices"
	"strings"

	"tonne/model"
)

// Claims are the serial numbers of a request for RetiredTwice and Overlaps. A text with
// digits in an unknown format is a block without known credits: the same text elsewhere
// may be no chance.
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

// Unread reports whether s is a text in an unknown format that Claims made a block.
func (s Serial) Unread() bool { return s.Block != "" && s.Registry == "" && s.Tonnes == 0 }

// String says what the requests share, "Verra 5 to 9".
func (o SerialOverlap) String() string {
	if o.A.Unread() {
		return "the same text " + o.A.Block
	}
	return fmt.Sprintf("%s %s to %s", o.A.Registry, model.FormatNumber(o.Start), model.FormatNumber(o.End))
}

// Sure reports whether the blocks are the same, and not only the numbers.
func (o SerialOverlap) Sure() bool { return o.A.Block == o.B.Block }

// Overlaps returns what serials share with other owners, surely or maybe, by owner.
func Overlaps(serials []OwnedSerial) map[int][]SerialOverlap {
	by := make(map[int][]SerialOverlap)
	for _, o := range slices.Concat(RetiredTwice(serials), maybeRetiredTwice(serials)) {
		for _, owner := range [...]int{o.A.Owner, o.B.Owner} {
			by[owner] = append(by[owner], o)
		}
	}
	return by
}

// maybeRetiredTwice returns the serials of Verra that share numbers with another owner but
// differ in batch, programme or flag: Verra counts over all batches, so the rest may have
// been written in another way.
func maybeRetiredTwice(serials []OwnedSerial) []SerialOverlap {
	var numbers []OwnedSerial
	blocks := make([]string, 0, len(serials))
	for _, s := range serials {
		if s.Registry != Verra {
			continue
		}
		blocks = append(blocks, s.Block)
		s.Block = fmt.Sprintf("%s %d %d", s.Project, s.FirstYear, s.LastYear)
		// The block that it has is found again by where it stands.
		s.Tonnes = int64(len(blocks) - 1)
		numbers = append(numbers, s)
	}
	overlaps := RetiredTwice(numbers)
	for i := range overlaps {
		for _, s := range [...]*OwnedSerial{&overlaps[i].A, &overlaps[i].B} {
			s.Block, s.Tonnes = blocks[s.Tonnes], s.End-s.Start+1
		}
	}
	return slices.DeleteFunc(overlaps, SerialOverlap.Sure)
}
