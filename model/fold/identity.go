package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Identity returns the form in which references and ids of users are compared. Texts that
// look the same have the same identity: it is in Unicode NFC, each run of blanks of any
// kind is one space, and surrounding blanks and hidden characters are removed. It decides
// only whether two texts are the same; the text itself is kept and sent as it was typed.
func Identity(text string) string {
	if isPlain(text) {
		return text
	}
	return strings.Join(strings.FieldsFunc(norm.NFC.String(Trim(text)), IsBlank), " ")
}

// isPlain reports whether text is its own identity: printable ASCII with single spaces inside.
func isPlain(text string) bool {
	before := byte(' ')
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return text == "" || before != ' '
}

// Trim removes surrounding blanks of all kinds and hidden characters.
func Trim(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return IsBlank(r) || IsHidden(r) })
}

// IsBlank reports whether r is shown as a blank.
func IsBlank(r rune) bool { return unicode.IsSpace(r) || r == '\u2800' }

// IsHidden reports whether r is invisible or changes how its neighbours are shown:
// control characters beyond ASCII, format characters, line separators, and other
// characters with the property Default_Ignorable_Code_Point. The Arabic and Syriac
// signs that enclose digits are format characters, but visible.
func IsHidden(r rune) bool {
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// Hidden returns the first hidden character of a text.
func Hidden(text string) (hidden rune, found bool) {
	at := strings.IndexFunc(text, IsHidden)
	if at < 0 {
		return 0, false
	}
	hidden, _ = utf8.DecodeRuneInString(text[at:])
	return hidden, true
}
