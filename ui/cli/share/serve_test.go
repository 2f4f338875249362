package share

import (
	"reflect"
	"testing"
)

func TestSplitWordsLikeShell(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"market -o csv":             {"market", "-o", "csv"},
		"  market\t-o \n csv ":      {"market", "-o", "csv"},
		`--filter 'type:x ask<10'`:  {"--filter", "type:x ask<10"},
		`a"b c"'d e' ""`:            {"ab cd e", ""},
		`a\ b \"c\" "x\"y\z" 'q\z'`: {"a b", `"c"`, `x"y\z`, `q\z`},
		"$HOME `id` $(id) ; | & *":  {"$HOME", "`id`", "$(id)", ";", "|", "&", "*"},
		"":                          nil,
	} {
		if got, err := splitWords(line); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`"a`, `'a`, `a\`, `a "b\"`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%q: %q, want an error", line, got)
		}
	}
}
