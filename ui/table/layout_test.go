package table

import (
	"fmt"
	"strings"
	"testing"

	"tonne/model"
	"tonne/model/field"
	must "tonne/model/musttest"
)

// placed returns the columns of a layout with their widths.
func placed(columns []Column[int], width int, measured ...int) (all string) {
	l := layout{width: width, measured: measured, filled: make([]bool, len(columns))}
	for i, c := range columns {
		l.filled[i] = c.Title != "empty"
	}
	place(&l, columns)
	for _, p := range l.columns {
		all += fmt.Sprint(columns[p.column].Key, p.width, " ")
	}
	return strings.TrimSpace(all)
}

func TestLayout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		columns  []Column[int]
		measured []int
		want     map[int]string
	}{
		// At 1 + 20 + 2 + 30 + 2 + 8 cells all of b fits.
		"a whole column takes only unused room": {
			[]Column[int]{{Key: "a", Min: 5, Max: 20}, {Key: "b", Min: 3, Max: 10, Whole: true}, {Key: "c"}}, []int{25, 30, 8},
			map[int]string{20: "a5 b3 c8", 43: "a20 b10 c8", 62: "a20 b29 c8", 63: "a20 b30 c8", 100: "a20 b30 c8"},
		},
		// At 1 + 28 + 2 + 20 + 2 + 8 + 2 + 24 cells nothing is cut.
		"columns shrink in order of priority": {
			[]Column[int]{{Key: "n", Min: 16, Ideal: 28, Max: 44}, {Key: "t", Min: 10, Max: 26, Priority: 6}, {Key: "p"},
				{Key: "i", Min: 10, Priority: 3}},
			[]int{28, 20, 8, 24},
			map[int]string{87: "n28 t20 p8 i24", 80: "n28 t13 p8 i24", 70: "n28 t10 p8 i17", 60: "n25 t10 p8 i10",
				51: "n16 t10 p8 i10"},
		},
		// At 1 + 12 + 2 + 8 cells there is a and d, each spare one takes two more than its text; e says nothing.
		"a spare column shrinks no other": {
			[]Column[int]{
				{Key: "a", Min: 5, Ideal: 12, Max: 20}, {Key: "b", Max: 10, Spare: true, Priority: 2},
				{Key: "c", Spare: true, Priority: 1}, {Key: "d"},
				{Key: "e", Title: "empty", Spare: true},
			},
			[]int{11, 30, 2, 8, 3},
			map[int]string{15: "a5 d8", 23: "a12 d8", 26: "a12 d8", 27: "a12 c2 d8", 38: "a12 c2 d8", 39: "a12 b10 c2 d8",
				100: "a12 b10 c2 d8"},
		},
		// Without b there are 1 + 12 + 2 + 8 cells.
		"a spare column shrinks to unused room": {
			[]Column[int]{{Key: "a", Min: 5, Ideal: 12, Max: 20}, {Key: "b", Min: 6, Max: 26, Spare: true}, {Key: "c"}},
			[]int{11, 30, 8},
			map[int]string{15: "a5 c8", 30: "a12 c8", 31: "a12 b6 c8", 40: "a12 b15 c8", 51: "a12 b26 c8", 90: "a12 b26 c8"},
		},
	} {
		for width, want := range c.want {
			must.Equal(t, placed(c.columns, width, c.measured...), want, name, width)
		}
	}
}

func TestCellsAreCopiedWithoutSymbolsAndNumbersWithoutFormatting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value      field.Value
		cell, bare string
	}{
		{field.Price(123_450).As(field.LastPaid), "$1,234.50", "1234.50"},
		{field.Change(-45), "−$0.45", "-0.45"},
		{field.Change(45), "+$0.45", "0.45"},
		{field.Difference(-42), "−4.2%", "-4.2%"},
		{field.Grams(1_234_000_001), "1,234.000001 t", "1234.000001"},
		{field.Grams(model.UnknownGrams), "? t", ""},
		{field.Tonnes(1234), "1,234 t", "1234"},
		{field.Shortage(1234), "short 1,234 t", "short 1,234 t"},
		{field.Price(model.UnknownPrice), "", ""},
		{field.Text("▲ 1,234 t"), "▲ 1,234 t", "▲ 1,234 t"},
		{field.Text("a\tb"), "a\tb", "a b"},
	} {
		table := New[string](Spec[field.Value]{Columns: []Column[field.Value]{
			{Key: "a", Value: func(v field.Value) field.Value { return v }},
		}})
		table.SetSource(List([]field.Value{c.value}, func(field.Value) string { return "" }))
		must.Equal(t, table.CopyCell(), c.cell, c.value)
		must.Equal(t, table.CopyRow(), c.bare, c.value)
	}
}
