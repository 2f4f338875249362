package fold_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tonne/model/fold"
	must "tonne/model/musttest"
	"tonne/model/texttest"
)

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
