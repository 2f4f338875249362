package style_test

import (
	"strings"
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/style"
)

func TestLongWordIsBrokenBetweenCharacters(t *testing.T) {
	t.Parallel()
	for _, character := range []string{"a", "森", "1️⃣", "👩‍👩‍👧‍👦", "e\u0301", "क्षि", "❤️\u200d🔥", "🇪🇹"} {
		word := strings.Repeat(character, 40)
		for width := 2; width < 12; width++ {
			lines := style.Wrap(word, width)
			must.Equal(t, strings.Join(lines, ""), word, character, width, lines)
			for _, line := range lines {
				if strings.ReplaceAll(line, character, "") != "" || style.Width(line) > width {
					t.Errorf("%q in %d cells: the line %q", character, width, line)
					break
				}
			}
			full := width / style.Width(character)
			must.Equal(t, len(lines), (40+full-1)/full, character, width)
		}
	}
}
