package model

import (
	"fmt"
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
