package market

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestIndexFindsTheFirstRowOfEachID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.Map(rapid.IntRange(0, 40), strconv.Itoa)).Draw(t, "ids")
		x, first := newIndex(len(ids)), make(map[string]int)
		for row, id := range ids {
			_, seen := first[id]
			if added := x.add(id, row, func(row int) bool { return ids[row] == id }); added == seen {
				t.Fatalf("row %d of %q: added = %t", row, ids, added)
			}
			if !seen {
				first[id] = row
			}
		}
		for n := range 50 {
			id := strconv.Itoa(n)
			want, there := first[id]
			got, found := x.find(id, func(row int) bool { return ids[row] == id })
			if found != there || found && got != want {
				t.Fatalf("%q in %q found at %d, %t", id, ids, got, found)
			}
		}
	})
}

func TestIndexKeepsRowsOfOneIDApart(t *testing.T) {
	t.Parallel()
	x := newIndex(3)
	for row := range 3 {
		x.add("same", row, func(int) bool { return false })
	}
	for row := range 3 {
		if got, ok := x.find("same", func(r int) bool { return r == row }); !ok || got != row {
			t.Errorf("row %d found at %d, %t", row, got, ok)
		}
	}
}
