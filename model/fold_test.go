package model_test

import (
	"testing"
	"tonne/model/must"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"tonne/model/fold"
)

func TestLettersLoseTheirSignsAndTheirCase(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Bale Mountains": "bale mountains", "Salto Pilão": "salto pilao", "SALTO PILA\u0303O": "salto pilao", "Kırşehir": "kirsehir", "İzmir": "izmir",
		"Łódź": "lodz", "Ǿ": "o", "Đắk Lắk": "dak lak", "São Tomé": "sao tome", "straße": "straße", "生态造林": "生态造林", "한국": "한국", "がぎ": "がぎ",
		"1\ufe0f\u20e3": "1\ufe0f\u20e3", "\u0301": "", "e\u0301\u0302\u0323": "e", "a\xff": "a\ufffd",
	} {
		must.Equal(t, fold.String(text), want, text)
	}
}

func TestWhatIsFoldedStaysAsItIs(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if once := fold.Rune(r); fold.Rune(once) != once || !fold.IsSign(r) && utf8.ValidRune(r) && fold.IsSign(once) {
			t.Fatalf("%U is folded to %U, and that to %U", r, once, fold.Rune(once))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if once := fold.String(text); fold.String(once) != once || string(fold.Append([]byte("x"), text)) != "x"+once {
			t.Fatalf("%q is folded to %q", text, once)
		}
	})
}
