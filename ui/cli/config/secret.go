package config

import "strings"

// shortestKey is how long a text is before it may be an API key. The ids of
// the interface are shorter.
const shortestKey = 20

// NotShown stands for a text that looks like a key.
const NotShown = "(not shown: it looks like a key)"

// LooksLikeKey reports whether a text may be an API key that was typed in the
// wrong place: long, letters and digits only, and no word.
func LooksLikeKey(s string) bool {
	const digits, hex = "0123456789", "0123456789abcdefABCDEF"
	if len(s) < shortestKey {
		return false
	}
	for _, c := range []byte(s) {
		if !isDigit(c) && (c|' ' < 'a' || c|' ' > 'z') {
			return false
		}
	}
	return strings.ContainsAny(s, digits) || strings.Trim(s, hex) == ""
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// shown quotes a text, unless it looks like a key: messages end up in logs and
// in chats.
func shown(s string) string {
	if LooksLikeKey(s) {
		return NotShown
	}
	return quoted(strings.ToValidUTF8(s, "�"))
}
