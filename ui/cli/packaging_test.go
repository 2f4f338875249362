package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPackagingRunsExistingCommands parses the command lines of the container and of
// the systemd units.
func TestPackagingRunsExistingCommands(t *testing.T) {
	t.Parallel()
	list := regexp.MustCompile(`(?:CMD|command:) (\[.*\])`)
	start := regexp.MustCompile(`(?m)^ExecStart=(.*)$`)
	for file, want := range map[string]int{
		"Dockerfile":                         2,
		"docs/packaging/compose.yaml":        1,
		"docs/packaging/tonne-serve.service": 1,
		"docs/packaging/tonne-share.service": 1,
	} {
		text, err := os.ReadFile(filepath.Join(projectRoot, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		var lines [][]string
		for _, m := range list.FindAllSubmatch(text, -1) {
			var args []string
			if err := json.Unmarshal(m[1], &args); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			lines = append(lines, args)
		}
		for _, m := range start.FindAllSubmatch(text, -1) {
			lines = append(lines, strings.Fields(string(m[1])))
		}
		if len(lines) != want {
			t.Errorf("%s has %d command lines, want %d", file, len(lines), want)
		}
		for _, args := range lines {
			if args[0] == "/usr/bin/tonne" {
				args = args[1:]
			}
			if r := newWorld(t, nil).unconfigured().run(append(args, "--help")...); r.status != 0 {
				t.Errorf("%s: tonne %s: status %d, %s", file, strings.Join(args, " "), r.status, r.stderr)
			}
		}
	}
}
