package tab

import (
	"slices"
	"strings"

	"tonne/ui/style"
)

// PartsBetween separates the parts of a line.
const PartsBetween = " · "

// Part is a part of a line.
type Part struct {
	Text string
	// Warns keeps the part longer than others, and marks it.
	Warns bool
}

// Parts are the parts of a line, such as the status of a tab. Empty ones are left out.
type Parts []Part

// Say adds parts.
func (p Parts) Say(texts ...string) Parts {
	for _, text := range texts {
		if text != "" {
			p = append(p, Part{Text: text})
		}
	}
	return p
}

// Warn adds a part that warns.
func (p Parts) Warn(text string) Parts { return append(p, Part{Text: "⚠ " + text, Warns: true}) }

// String returns the parts with separators.
func (p Parts) String() string {
	texts := make([]string, len(p))
	for i, part := range p {
		texts[i] = part.Text
	}
	return strings.Join(texts, PartsBetween)
}

// Fit drops parts until the rest fits. It starts with the last part, drops warnings last, and never drops the first
// part.
func (p Parts) Fit(room int) string {
	for len(p) > 1 && style.Width(p.String()) > room {
		drop := len(p) - 1
		for drop > 1 && p[drop].Warns {
			drop--
		}
		p = slices.Delete(slices.Clone(p), drop, drop+1)
	}
	return p.String()
}
