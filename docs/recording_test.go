package docs_test

import (
	"regexp"
	"strings"
	"testing"

	must "tonne/model/musttest"
)

// TestTheRecordingShowsTheScreensOfToday compares the titles of columns, panes and
// keys of the recording with those of the screens. .ci/record makes a new one.
func TestTheRecordingShowsTheScreensOfToday(t *testing.T) {
	t.Parallel()
	svg := read("desk.svg")
	must.Hold(t, len(svg) <= 1<<20, "bytes of the recording:", len(svg))
	shown := strings.Join(regexp.MustCompile(`<[^>]*>`).Split(svg, -1), " ")
	title := regexp.MustCompile(`\b[A-Z][A-Z/]{2,}\b`)
	for _, screen := range []string{"market", "inventory", "retirements"} {
		titles := 0
		for line := range strings.Lines(read("../ui/testdata/" + screen + "-120x36.golden")) {
			words := title.FindAllString(line, -1)
			if len(words) < 4 {
				continue
			}
			titles++
			for _, word := range words {
				must.Hold(t, strings.Contains(shown, word), "the recording lacks a title, run .ci/record:", word, screen)
			}
		}
		must.Hold(t, titles > 0, "no titles are found on a screen:", screen)
	}
}
