package model

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// FileName returns a unique file name for an id, without an extension. It writes all
// characters except letters, digits, hyphens and underscores as %XX.
func FileName(id string) string {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' && i > 0
		if plain {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// SplitIDs is like SplitAllIDs, without duplicates.
func SplitIDs(text string) []string { return Unique(SplitAllIDs(text)) }

// Unique returns texts in their order, each once.
func Unique(texts []string) []string {
	seen := make(map[string]bool)
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		again := seen[text]
		seen[text] = true
		return again
	})
}

// SplitAllIDs splits a list of ids that a user typed or pasted, at blanks of all kinds, commas,
// semicolons, quotes, and the = with which a spreadsheet protects an id. The ids do not share
// memory with the text.
func SplitAllIDs(text string) []string {
	ids := strings.FieldsFunc(strings.ReplaceAll(text, `="`, `"`), betweenIDs)
	for i, id := range ids {
		ids[i] = strings.Clone(id)
	}
	return ids
}

func betweenIDs(r rune) bool {
	return r <= ' ' || unicode.IsSpace(r) || r == 0x7f || r == 0xfeff || strings.ContainsRune(",;\"'`", r)
}
