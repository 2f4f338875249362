package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/cli/config"
)

var update = flag.Bool("update", false, "rewrite the generated files below docs")

func TestDocsMatchGeneratedPages(t *testing.T) {
	t.Parallel()
	print := func(args ...string) string { return newWorld(t, nil).unconfigured().must(args...) }
	for name, want := range map[string]string{
		"man/tonne.1":            print("man"),
		"completions/tonne.bash": print("completion", "bash"),
		"completions/_tonne":     print("completion", "zsh"),
		"completions/tonne.fish": print("completion", "fish"),
		"completions/tonne.ps1":  print("completion", "powershell"),
		"settings.md":            settingsPage(),
	} {
		path := filepath.Join(projectRoot, "docs", filepath.FromSlash(name))
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

// settingsPage returns docs/settings.md.
func settingsPage() string {
	var p strings.Builder
	p.WriteString("# Settings\n\nThe first of these that has a value applies: the flag, the environment variable, the configuration file, the default.\n" +
		"`tonne config show` prints each setting with its value and source. `tonne config init` writes a file with all of them.\n\n" +
		"| Setting | In the file | Flag | Environment | Default | Meaning |\n|---|---|---|---|---|---|\n")
	code := func(text string) string {
		if text == "" {
			return ""
		}
		return "`" + text + "`"
	}
	for _, s := range config.Settings {
		flag := ""
		if s.Flag != "" {
			flag = "--" + s.Flag
		}
		fmt.Fprintf(&p, "| `%s` | %s | %s | %s | %s | %s |\n", s.Name, s.In, code(flag), code(s.Env), code(s.Default), strings.ReplaceAll(s.Text(), "|", ", "))
	}
	p.WriteString("\nIn the dashboard, `:profile NAME` switches the profile. Nothing of the old profile stays: no filter, mark, plan or open dialog.\n" +
		"`--base-url`, `TONNE_BASE_URL`, `TONNE_API_KEY` and `--allow-retire` apply only to the profile with which the dashboard started;\n" +
		"the others need a key from `tonne auth login --profile NAME`. You cannot switch while a retirement is in flight or its outcome\n" +
		"is unknown.\n")
	p.WriteString("\nOther variables:\n\n| Variable | Meaning |\n|---|---|\n")
	for _, v := range otherVariables {
		fmt.Fprintf(&p, "| `%s` | %s |\n", v.Name, v.Description)
	}
	return p.String()
}
