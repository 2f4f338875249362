package api

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ShortestKey is the length from which a key is hidden everywhere in a text. A shorter one is
// hidden only as a word, because it may be a part of others.
const ShortestKey = 8

// HideKeys replaces keys in a text by [key], also as Go quotes them. It replaces in one pass,
// because the replacement may contain another key. Empty keys are ignored.
func HideKeys(text string, keys ...string) string {
	var forms []string
	for _, key := range keys {
		if key != "" && strings.Contains(text, key) {
			forms = append(forms, key)
		}
		if quoted := strings.Trim(strconv.Quote(key), `"`); quoted != key && strings.Contains(text, quoted) {
			forms = append(forms, quoted)
		}
	}
	if len(forms) == 0 {
		return text
	}
	slices.SortFunc(forms, func(x, y string) int { return len(y) - len(x) })
	for i, form := range forms {
		pattern := regexp.QuoteMeta(form)
		if len(form) < ShortestKey {
			pattern = boundary(form[:1]) + pattern + boundary(form[len(form)-1:])
		}
		forms[i] = pattern
	}
	return regexp.MustCompile(strings.Join(forms, "|")).ReplaceAllString(text, "[key]")
}

// boundary returns the pattern for the end of a word with the character.
func boundary(end string) string {
	if strings.Trim(end, "_") == "" || strings.ToLower(end) != strings.ToUpper(end) || '0' <= end[0] && end[0] <= '9' {
		return `\b`
	}
	return ""
}
