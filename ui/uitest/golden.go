package uitest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	must "tonne/model/musttest"
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
		must.Succeed(t, os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	must.Need(t, err == nil, "no golden frame (run the test with -update)", err)
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
