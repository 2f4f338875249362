package model

import "hash/maphash"

// index finds rows of a column by id. It stores only row numbers, so that a
// million rows cost eight megabytes and one object. Rows are compared through
// a function of the caller, which owns the ids.
type index struct {
	seed  maphash.Seed
	slots []uint32 // row+1; 0 is free
}

func newIndex(rows int) index {
	size := 8
	for size < rows*2 {
		size *= 2
	}
	return index{maphash.MakeSeed(), make([]uint32, size)}
}

func (x index) find(id string, same func(row int) bool) (int, bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	mask := uint64(len(x.slots) - 1)
	for at := maphash.String(x.seed, id) & mask; x.slots[at] != 0; at = (at + 1) & mask {
		if row := int(x.slots[at] - 1); same(row) {
			return row, true
		}
	}
	return 0, false
}

func (x index) roomFor(rows int, idAt func(row int) string) index {
	if rows*4 < len(x.slots)*3 {
		return x
	}
	larger := newIndex(rows * 2)
	for row := range rows {
		larger.add(idAt(row), row)
	}
	return larger
}

func (x index) add(id string, row int) {
	mask := uint64(len(x.slots) - 1)
	at := maphash.String(x.seed, id) & mask
	for x.slots[at] != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = uint32(row + 1)
}

func (x index) addNew(id []byte, row int, idAt func(row int) string) bool {
	mask := uint64(len(x.slots) - 1)
	at := maphash.Bytes(x.seed, id) & mask
	for ; x.slots[at] != 0; at = (at + 1) & mask {
		if idAt(int(x.slots[at]-1)) == string(id) {
			return false
		}
	}
	x.slots[at] = uint32(row + 1)
	return true
}
