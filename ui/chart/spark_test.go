package chart_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	must "tonne/model/musttest"
	"tonne/model/texttest"
	"tonne/ui/chart"
)

func numbers(text string) (all []int64) {
	for field := range strings.FieldsSeq(text) {
		all = append(all, must.Get(strconv.ParseInt(field, 10, 64)))
	}
	return all
}

func TestSparklines(t *testing.T) {
	t.Parallel()
	texttest.Table(t, "sparklines", func(input string) string {
		all := numbers(input)
		values, width := all[:len(all)-1], all[len(all)-1]
		return string(chart.AppendSparkline(nil, values, int(width)))
	})
}

func TestBars(t *testing.T) {
	t.Parallel()
	texttest.Table(t, "bars", func(input string) string {
		n := numbers(input)
		return chart.Bar(n[0], n[1], int(n[2]))
	})
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
