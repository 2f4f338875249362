package country

import (
	"slices"
	"strings"
	"testing"
)

func TestCountriesHaveCodesAndNames(t *testing.T) {
	last, n := "", 0
	for code, name := range All {
		if len(code) != 2 || code != strings.ToUpper(code) || code <= last || name == "" || name != strings.TrimSpace(name) {
			t.Errorf("%q is behind %q and called %q", code, last, name)
		}
		if Name(strings.ToLower(code)) != name {
			t.Errorf("%s is called %q", code, Name(code))
		}
		last, n = code, n+1
	}
	if n != 249 {
		t.Errorf("%d countries", n)
	}
	for _, code := range []string{"", "K", "XX", "KEN", "ZZ"} {
		if Names(code) != nil || Name(code) != "" {
			t.Errorf("%q is %q", code, Names(code))
		}
	}
}

func TestCountriesAreFoundAsPeopleTypeThem(t *testing.T) {
	for text, want := range map[string][]string{
		"KE": {"KE"}, "ke": {"KE"}, "Kenya": {"KE"}, " kenya ": {"KE"}, "ken": {"KE"}, "uk": {"GB"}, "ivory": {"CI"}, "turkey": {"TR"},
		"viet": {"VN"}, "niger": {"NE"}, "guinea": {"GN"}, "papua": {"PG"}, "virgin": {"VG", "VI"}, "kenia": nil, "": nil, "xx": nil,
	} {
		if got := Find(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
