package texttest

import (
	"testing"

	must "tonne/model/musttest"
)

func TestRowsOfATable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		lines         []string
		input, output string
		ok            bool
	}{
		{"one line", []string{"a b => 1 2", "c => 3"}, "a b", "1 2", true},
		{"several lines", []string{"a =>", "    1", "    2", "c => 3"}, "a", "1\n2", true},
		{"no output", []string{"a =>", "# remark"}, "a", "", true},
		{"quoted", []string{`" a " => 1`}, " a ", "1", true},
		{"a remark", []string{"# a => 1"}, "", "", false},
		{"no arrow", []string{"a"}, "", "", false},
	} {
		input, output, ok := row(c.lines)
		must.Hold(t, input == c.input && output == c.output && ok == c.ok, c.name, input, output, ok)
	}
	must.Equal(t, written("a => 0", "1"), "a => 1")
	must.Equal(t, written("a =>", ""), "a =>")
	must.Equal(t, written("a => 0", "1\n2"), "a =>\n    1\n    2")
}

func TestAnswersAreBelowTheirBlocks(t *testing.T) {
	t.Parallel()
	upper := func(input string) string { return input + "!\n" + input + "?" }
	must.Equal(t, Answers("a\n> old\n\nb\n", upper), "a\n> a!\n> a?\n\nb\n> b!\n> b?\n")
}

func TestShowHasTheFieldsThatAreNotZero(t *testing.T) {
	t.Parallel()
	type part struct {
		Name string
		N    int
		none int
	}
	must.Equal(t, Show(part{N: 1, none: 2}), "{N:1}")
	must.Equal(t, Show([]part{{Name: "a b"}, {N: 2}}), "[\n  {Name:\"a b\"}\n  {N:2}]")
}
