package model_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/country"
	"tonne/model/fold"
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

func TestLettersLoseTheirSignsAndTheirCase(t *testing.T) {
	texttest.Table(t, "folded", fold.String)
}

func TestWhatIsFoldedStaysAsItIs(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if once := fold.Rune(r); fold.Rune(once) != once || !fold.IsSign(r) && utf8.ValidRune(r) && fold.IsSign(once) {
			t.Fatalf("%U is folded to %U, and that to %U", r, once, fold.Rune(once))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		once := fold.String(text)
		must.Hold(t, fold.String(once) == once && string(fold.Append([]byte("x"), text)) == "x"+once, text, once)
	})
}

func TestProjectWithoutNameHasItsID(t *testing.T) {
	projects := model.Projects{"a": {ID: "a", Name: "Bale Mountains"}, "b": {ID: "b"}}
	must.Equal(t, projects.Name("a")+projects.Name("b")+projects.Name("c")+model.Projects(nil).Name("d"), "Bale Mountainsbcd")
}
