package model

import (
	"fmt"
	"slices"
	"strings"
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

// SplitAllIDs splits a list of ids that a user typed or pasted, at white space, commas,
// semicolons and quotes. The ids do not share memory with the text.
func SplitAllIDs(text string) []string {
	ids := strings.FieldsFunc(text, betweenIDs)
	for i, id := range ids {
		ids[i] = strings.Clone(id)
	}
	return ids
}

// IDColumn returns the first column titled id, retirement_id or retirement_request_id, or
// -1. It ignores case, and accepts spaces or hyphens for underscores.
func IDColumn(titles []string) int {
	for _, name := range []string{"id", "retirement_id", "retirement_request_id"} {
		at := slices.IndexFunc(titles, func(title string) bool {
			return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(title))) == name
		})
		if at >= 0 {
			return at
		}
	}
	return -1
}

func betweenIDs(r rune) bool {
	return r <= ' ' || r == 0x7f || r == 0xfeff || strings.ContainsRune(",;\"'`", r)
}
