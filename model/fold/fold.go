// Package fold normalises text for searches: it converts letters to lower case and removes
// diacritics, so that pilao finds Pilão. Start reading at Append.
package fold

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Rune returns a letter in lower case without diacritics.
func Rune(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return r
	}
	switch r = bare(unicode.ToLower(r)); r {
	// Unicode does not decompose these letters.
	case 'ø':
		return 'o'
	case 'ł':
		return 'l'
	case 'đ':
		return 'd'
	case 'ı':
		return 'i'
	}
	return r
}

// bare returns the base letter.
func bare(r rune) rune {
	apart := []rune(norm.NFD.String(string(r)))
	if slices.ContainsFunc(apart[1:], func(sign rune) bool { return !IsSign(sign) }) {
		return r
	}
	return apart[0]
}

// IsSign reports whether a rune is a combining mark on the letter before it.
func IsSign(r rune) bool { return 0x300 <= r && r <= 0x36f }

// Append appends text normalised with Rune, without combining marks.
func Append(dst []byte, text string) []byte {
	from := len(dst)
	dst = append(dst, text...)
	for i := from; i < len(dst); i++ {
		switch c := dst[i]; {
		case c >= utf8.RuneSelf:
			dst = dst[:from]
			for _, r := range text {
				if !IsSign(r) {
					dst = utf8.AppendRune(dst, Rune(r))
				}
			}
			return dst
		case 'A' <= c && c <= 'Z':
			dst[i] = c + 'a' - 'A'
		}
	}
	return dst
}

// String returns the result of Append as a string.
func String(text string) string { return string(Append(nil, text)) }

// Origins returns a text normalised with Rune, without combining marks, and where in the text each of
// its bytes comes from: folded[i:j] is text[from[i]:from[j]]. A mark belongs to the letter before it.
func Origins(text string) (folded []byte, from []int) {
	for i, r := range text {
		if IsSign(r) {
			continue
		}
		folded = utf8.AppendRune(folded, Rune(r))
		for len(from) < len(folded) {
			from = append(from, i)
		}
	}
	return folded, append(from, len(text))
}
