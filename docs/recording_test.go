package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheRecordingShowsTheScreensOfToday compares the titles of columns, panes and
// keys of the recording with those of the screens. .ci/record makes a new one.
func TestTheRecordingShowsTheScreensOfToday(t *testing.T) {
	t.Parallel()
	svg, err := os.ReadFile("desk.svg")
	if err != nil {
		t.Fatal(err)
	}
	if len(svg) > 1<<20 {
		t.Errorf("it has %d bytes, more than 1 MiB", len(svg))
	}
	shown := strings.Join(regexp.MustCompile(`<[^>]*>`).Split(string(svg), -1), " ")
	title := regexp.MustCompile(`\b[A-Z][A-Z/]{2,}\b`)
	for _, screen := range []string{"market", "inventory", "retirements"} {
		frame, err := os.ReadFile("../ui/testdata/" + screen + "-120x36.golden")
		if err != nil {
			t.Fatal(err)
		}
		titles := 0
		for line := range strings.Lines(string(frame)) {
			words := title.FindAllString(line, -1)
			if len(words) < 4 {
				continue
			}
			titles++
			for _, word := range words {
				if !strings.Contains(shown, word) {
					t.Errorf("the recording lacks %q of the %s: run .ci/record", word, screen)
				}
			}
		}
		if titles == 0 {
			t.Errorf("no titles are found on the %s screen", screen)
		}
	}
}
