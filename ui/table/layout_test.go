package table

import "testing"

func TestAWholeColumnTakesOnlyRoomThatIsLeft(t *testing.T) {
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
