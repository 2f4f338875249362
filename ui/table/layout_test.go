package table

import "testing"

func TestWholeColumnTakesOnlyUnusedRoom(t *testing.T) {
	t.Parallel()
	columns := []Column[int]{{Key: "a", Min: 5, Max: 20}, {Key: "b", Min: 3, Max: 10, Whole: true}, {Key: "c"}}
	// At 1 + 20 + 2 + 30 + 2 + 8 cells all of b fits.
	for width, want := range map[int][3]int{
		20: {5, 3, 8}, 43: {20, 10, 8}, 62: {20, 10, 8}, 63: {20, 30, 8}, 100: {20, 30, 8},
	} {
		l := layout{width: width, measured: []int{25, 30, 8}}
		place(&l, columns)
		var got [3]int
		for i, p := range l.columns {
			got[i] = p.width
		}
		if got != want {
			t.Errorf("at %d cells the columns have %v, want %v", width, got, want)
		}
	}
}

func TestColumnsShrinkInOrderOfPriority(t *testing.T) {
	t.Parallel()
	columns := []Column[int]{{Key: "name", Min: 16, Ideal: 28, Max: 44}, {Key: "type", Min: 10, Max: 26, Priority: 6}, {Key: "price"}, {Key: "id", Min: 10, Priority: 3}}
	// At 1 + 28 + 2 + 20 + 2 + 8 + 2 + 24 cells nothing is cut.
	for width, want := range map[int][4]int{87: {28, 20, 8, 24}, 80: {28, 13, 8, 24}, 70: {28, 10, 8, 17}, 60: {25, 10, 8, 10}, 51: {16, 10, 8, 10}} {
		l := layout{width: width, measured: []int{28, 20, 8, 24}}
		place(&l, columns)
		var got [4]int
		for i, p := range l.columns {
			got[i] = p.width
		}
		if got != want {
			t.Errorf("at %d cells the columns have %v, want %v", width, got, want)
		}
	}
}

func TestSpareColumnShrinksNoOther(t *testing.T) {
	t.Parallel()
	columns := []Column[int]{{Key: "a", Min: 5, Ideal: 12, Max: 20}, {Key: "b", Max: 10, Spare: true, Priority: 2}, {Key: "c", Spare: true, Priority: 1}, {Key: "d"}, {Key: "e", Spare: true}}
	// At 1 + 12 + 2 + 8 cells there is a and d, each spare one takes two more
	// than its text; e says nothing.
	for width, want := range map[int]string{15: "ad", 23: "ad", 26: "ad", 27: "acd", 38: "acd", 39: "abcd", 100: "abcd"} {
		l := layout{width: width, measured: []int{11, 30, 2, 8, 3}, filled: []bool{true, true, true, true, false}}
		place(&l, columns)
		got := ""
		for _, p := range l.columns {
			got += columns[p.column].Key
		}
		if got != want {
			t.Errorf("at %d cells there are the columns %s, want %s", width, got, want)
		}
	}
}

func TestSpareColumnShrinksToUnusedRoom(t *testing.T) {
	t.Parallel()
	columns := []Column[int]{{Key: "a", Min: 5, Ideal: 12, Max: 20}, {Key: "b", Min: 6, Max: 26, Spare: true}, {Key: "c"}}
	// Without b there are 1 + 12 + 2 + 8 cells.
	for width, want := range map[int]int{15: 0, 30: 0, 31: 6, 40: 15, 51: 26, 90: 26} {
		l := layout{width: width, measured: []int{11, 30, 8}, filled: []bool{true, true, true}}
		place(&l, columns)
		got := 0
		for _, p := range l.columns {
			if p.column == 1 {
				got = p.width
			}
		}
		if got != want {
			t.Errorf("at %d cells the column has %d, want %d", width, got, want)
		}
	}
}
