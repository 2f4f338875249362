package fold

import "testing"

func TestTextsThatLookTheSameHaveOneIdentity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"plain", "Q4-1", "Q4-1"},
		{"inner blank", "Muller 7", "Muller 7"},
		{"composed", "M\u00fcller 7", "M\u00fcller 7"},
		{"decomposed", "Mu\u0308ller 7", "M\u00fcller 7"},
		{"two marks in another order", "a\u0323\u0302", "\u1ead"},
		{"no-break space", "Muller\u00a07", "Muller 7"},
		{"narrow no-break space", "Muller\u202f7", "Muller 7"},
		{"ideographic space", "Muller\u30007", "Muller 7"},
		{"figure space and tab", "Muller\u2007\t7", "Muller 7"},
		{"several blanks", "Muller   7", "Muller 7"},
		{"Braille blank", "Muller\u28007", "Muller 7"},
		{"line break", "Muller\r\n7", "Muller 7"},
		{"surrounding blanks", " \u00a0Muller 7\u2003 ", "Muller 7"},
		{"byte order mark in front", "\ufeffMuller 7", "Muller 7"},
		{"zero-width at both ends", "\u200bMuller 7\u2060 \u200b", "Muller 7"},
		{"hidden inside stays", "Mul\u200bler", "Mul\u200bler"},
		{"Hangul", "\u1112\u1161\u11ab", "\ud55c"},
		{"Angstrom sign", "\u212b1", "\u00c51"},
		{"only blanks", " \u00a0\u3000 ", ""},
		{"case is kept", "q4", "q4"},
		{"another letter", "M\u0443ller", "M\u0443ller"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := Identity(test.text)
			if got != test.want || Identity(got) != got {
				t.Errorf("Identity(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func FuzzIdentityIsItsOwnIdentity(f *testing.F) {
	f.Add("Mu\u0308ller\u00a07")
	f.Add("\u200b \u0308x")
	f.Fuzz(func(t *testing.T, text string) {
		once := Identity(text)
		if twice := Identity(once); twice != once {
			t.Errorf("%q becomes %q, then %q", text, once, twice)
		}
	})
}
