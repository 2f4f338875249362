package market

import "hash/maphash"

// index finds rows by id. It stores only row numbers: eight megabytes for a million.
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

func (x index) slot(id string, same func(row int) bool) *uint32 {
	mask := uint64(len(x.slots) - 1)
	at := maphash.String(x.seed, id) & mask
	for x.slots[at] != 0 && !same(int(x.slots[at]-1)) {
		at = (at + 1) & mask
	}
	return &x.slots[at]
}

func (x index) find(id string, same func(row int) bool) (int, bool) {
	if len(x.slots) == 0 {
		return -1, false
	}
	slot := x.slot(id, same)
	return int(*slot) - 1, *slot != 0
}

func (x index) add(id string, row int, same func(row int) bool) bool {
	slot := x.slot(id, same)
	if *slot != 0 {
		return false
	}
	*slot = uint32(row + 1)
	return true
}
