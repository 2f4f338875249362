package cli

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files under docs anew")

func TestDocsHoldTheManPageAndTheCompletions(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"man/tonne.1":            {"man"},
		"completions/tonne.bash": {"completion", "bash"},
		"completions/_tonne":     {"completion", "zsh"},
		"completions/tonne.fish": {"completion", "fish"},
		"completions/tonne.ps1":  {"completion", "powershell"},
	} {
		want := newWorld(t, nil).unconfigured().must(args...)
		path := filepath.Join("..", "..", "docs", filepath.FromSlash(name))
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("docs/%s is not what the program prints: run go test ./ui/cli -run Docs -update (%v)", name, err)
		}
	}
}
