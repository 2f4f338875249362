package model

import "strings"

// SplitIDs returns the ids in text that a person typed or pasted: one a line,
// or several separated by blanks, commas or semicolons, with or without
// quotes. Each is returned once, in order, and keeps nothing of the text.
func SplitIDs(text string) []string {
	var ids []string
	seen := make(map[string]bool)
	for _, id := range strings.FieldsFunc(text, betweenIDs) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, strings.Clone(id))
		}
	}
	return ids
}

func betweenIDs(r rune) bool {
	return r <= ' ' || r == 0x7f || r == 0xfeff || strings.ContainsRune(",;\"'`", r)
}
