package uitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tonne/model/texttest"
)

// Golden compares a frame with testdata/name.golden, without its styles.
func Golden(t testing.TB, name, frame string) {
	t.Helper()
	lines := strings.Split(ansi.Strip(frame), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	got := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", name+".golden")
	if texttest.Update() {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no golden frame (run the test with -update): %v", err)
	}
	if got != string(want) {
		t.Errorf("the frame differs from %s; it is now:\n%s", path, got)
	}
}

// Exact fails unless a frame is exactly width × height cells.
func Exact(t testing.TB, frame string, width, height int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	if len(lines) != height {
		t.Errorf("%d×%d: the frame has %d lines", width, height, len(lines))
		return
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != width {
			t.Errorf("%d×%d: line %d is %d wide: %q", width, height, i, w, ansi.Strip(line))
			return
		}
	}
}
