package chart_test

import (
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	must "tonne/model/musttest"
	"tonne/ui/chart"
)

func TestSparklines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		values []int64
		width  int
		want   string
	}{
		{"none", nil, 8, ""},
		{"one", []int64{600}, 8, "▄"},
		{"flat", []int64{5, 5, 5}, 8, "▄▄▄"},
		{"up", []int64{0, 1, 2, 3, 4, 5, 6}, 8, "▁▂▃▄▅▆▇"},
		{"the last ones", []int64{99, 0, 7}, 2, "▁▇"},
		{"missing", []int64{1, -1, 2}, 8, "▁ ▇"},
		{"all missing", []int64{-1, -1}, 8, "  "},
		{"flat with a gap", []int64{3, -1, 3}, 8, "▄ ▄"},
		{"far apart", []int64{0, math.MaxInt64}, 8, "▁▇"},
		{"no room", []int64{1, 2}, 0, ""},
	}
	for _, test := range tests {
		must.Equal(t, string(chart.AppendSparkline(nil, test.values, test.width)), test.want, test.name)
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value, most int64
		width       int
		want        string
	}{
		{8, 8, 2, "██"},
		{4, 8, 2, "█"},
		{5, 8, 2, "█▎"},
		{0, 8, 2, ""},
		{-1, 8, 2, ""},
		{1, 1_000_000, 2, "▏"},
		{9, 8, 2, "██"},
		{1, 0, 2, ""},
		{1, 1, 0, ""},
		{math.MaxInt64, math.MaxInt64, 3, "███"},
	}
	for _, test := range tests {
		must.Equal(t, chart.Bar(test.value, test.most, test.width), test.want, "bar of", test.value, test.most)
	}
}

func TestBarGrowsWithItsValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		most, width := rapid.Int64Min(1).Draw(t, "most"), rapid.IntRange(1, 50).Draw(t, "width")
		a := rapid.Int64Range(1, most).Draw(t, "a")
		b := rapid.Int64Range(a, most).Draw(t, "b")
		shorter, longer := chart.Bar(a, most, width), chart.Bar(b, most, width)
		must.Need(t, utf8.RuneCountInString(longer) <= width &&
			utf8.RuneCountInString(shorter) <= utf8.RuneCountInString(longer) && shorter != "",
			"bars of", a, b, most, shorter, longer)
	})
}
