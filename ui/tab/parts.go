package tab

import (
	"slices"
	"strings"

	"tonne/ui/style"
)

// PartsBetween separates the parts of a line of text, such as the status of a tab.
const PartsBetween = " · "

// FewerParts drops whole parts of a text until the others fit into room cells:
// the last first, but warnings last. The first is never dropped.
func FewerParts(text string, room int) string {
	parts := strings.Split(text, PartsBetween)
	for len(parts) > 1 && style.Width(strings.Join(parts, PartsBetween)) > room {
		drop := len(parts) - 1
		for drop > 1 && strings.HasPrefix(parts[drop], "⚠") {
			drop--
		}
		parts = slices.Delete(parts, drop, drop+1)
	}
	return strings.Join(parts, PartsBetween)
}
