package model_test

import (
	"strings"
	"testing"
	"tonne/model/must"

	"tonne/model/country"
)

func TestCountriesHaveCodesAndNames(t *testing.T) {
	last, n := "", 0
	for code, name := range country.All {
		if len(code) != 2 || code != strings.ToUpper(code) || code <= last || name == "" || name != strings.TrimSpace(name) {
			t.Errorf("%q is behind %q and called %q", code, last, name)
		}
		must.Equal(t, country.Name(strings.ToLower(code)), name, code, country.Name(code))
		last, n = code, n+1
	}
	must.Equal(t, n, 249)
	for _, code := range []string{"", "K", "XX", "KEN", "ZZ"} {
		if country.Names(code) != nil || country.Name(code) != "" {
			t.Errorf("%q is %q", code, country.Names(code))
		}
	}
}

func TestCountriesAreFoundAsPeopleTypeThem(t *testing.T) {
	for text, want := range map[string][]string{
		"KE": {"KE"}, "ke": {"KE"}, "Kenya": {"KE"}, " kenya ": {"KE"}, "ken": {"KE"}, "uk": {"GB"}, "ivory": {"CI"}, "turkey": {"TR"},
		"viet": {"VN"}, "niger": {"NE"}, "guinea": {"GN"}, "papua": {"PG"}, "virgin": {"VG", "VI"}, "kenia": nil, "": nil, "xx": nil,
	} {
		must.Equal(t, country.Find(text), want, text)
	}
}
