package config

import (
	"strconv"
	"strings"
)

// shortestKey is how long a text is before it may be an API key. The ids of
// the interface are shorter.
const shortestKey = 20

// NotShown stands for a text that looks like a key.
const NotShown = "(not shown: it looks like a key)"

// LooksLikeKey reports whether a text may be an API key that was typed in the
// wrong place: long, letters and digits only, and neither a word nor a number.
func LooksLikeKey(s string) bool {
	const hexLetters = "abcdefABCDEF"
	if len(s) < shortestKey || strings.Trim(s, letters+digits) != "" || strings.Trim(s, digits) == "" {
		return false
	}
	return strings.ContainsAny(s, digits) || strings.Trim(s, hexLetters) == ""
}

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

func shown(s string) string {
	if LooksLikeKey(s) {
		return NotShown
	}
	return strconv.Quote(strings.ToValidUTF8(s, "�"))
}
