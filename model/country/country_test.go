package country_test

import (
	"strings"
	"testing"

	"tonne/model/country"
	must "tonne/model/musttest"
	"tonne/model/texttest"
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
		must.Hold(t, country.Names(code) == nil && country.Name(code) == "", code, country.Names(code))
	}
}

func TestCountriesAreFoundAsPeopleTypeThem(t *testing.T) {
	texttest.Table(t, "countries", func(text string) string { return strings.Join(country.Find(text), " ") })
}
