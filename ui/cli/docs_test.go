package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
	"tonne/model/longtest"
	must "tonne/model/musttest"
	"tonne/model/texttest"
	"tonne/ui/cli/config"
)

func TestDocsMatchGeneratedPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	for name, want := range map[string]string{
		"man/tonne.1":            w.must("man"),
		"completions/tonne.bash": w.must("completion", "bash"),
		"completions/_tonne":     w.must("completion", "zsh"),
		"completions/tonne.fish": w.must("completion", "fish"),
		"completions/tonne.ps1":  w.must("completion", "powershell"),
		"settings.md":            settingsPage(),
		"session.txt":            recordedSession(t),
	} {
		checkDocument(t, name, want, "Docs")
	}
}

// recordedSession returns docs/session.txt, the transcript of a script.
func recordedSession(t *testing.T) string {
	archive := must.Get(txtar.ParseFile(filepath.Join(testdata, "script", "session.txtar")))
	for _, file := range archive.Files {
		if file.Name == "session" {
			return strings.TrimPrefix(strings.ReplaceAll("\n"+string(file.Data), "\n# ", "\n\n# "), "\n\n")
		}
	}
	t.Fatal("the script has no session")
	return ""
}

// checkDocument compares a generated file below docs, or writes it with -update.
func checkDocument(t *testing.T, name, want, run string) {
	t.Helper()
	path := filepath.Join(projectRoot, "docs", filepath.FromSlash(name))
	if texttest.Update() {
		must.Succeed(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	must.Hold(t, err == nil && string(got) == want,
		"docs/", name, "is not what the program prints: run go test ./ui/cli -run", run, "-update", err)
}

// settingsPage returns docs/settings.md.
func settingsPage() string {
	var p strings.Builder
	p.WriteString("# Settings\n\nThe first of these that has a value applies: the flag, the environment variable, the configuration file, the default.\n" +
		"`tonne config show` prints each setting with its value and source. `tonne config init` writes a file with those that it can contain.\n\n" +
		"| Setting | In the file | Flag | Environment | Default | Meaning |\n|---|---|---|---|---|---|\n")
	code := func(prefix, text string) string {
		if text == "" {
			return ""
		}
		return "`" + prefix + text + "`"
	}
	for _, s := range config.Settings {
		fmt.Fprintf(&p, "| `%s` | %s | %s | %s | %s | %s |\n", s.Name, s.In, code("--", s.Flag), code("", s.Env),
			code("", s.Default), strings.ReplaceAll(s.Text(), "|", ", "))
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

// pages returns the paths of the documents.
func pages() []string {
	return append(must.Get(filepath.Glob(projectRoot+"/docs/*.md")), projectRoot+"/README.md")
}

// TestDocumentedCommandsExist looks up the commands and flags that the pages name.
func TestDocumentedCommandsExist(t *testing.T) {
	t.Parallel()
	commands := tree()
	for _, page := range pages() {
		for _, m := range regexp.MustCompile("`(tonne [^`|]*)`").FindAllStringSubmatch(string(must.Get(os.ReadFile(page))),
			-1) {
			words := strings.Fields(m[1])
			path, rest := words[0], words[1:]
			for len(rest) > 0 && commands[path+" "+rest[0]] != nil {
				path, rest = path+" "+rest[0], rest[1:]
			}
			must.Hold(t,
				path != "tonne" || len(rest) == 0 || !regexp.MustCompile(`^[a-z]`).MatchString(rest[0]) || rest[0] == "help" ||
					rest[0] == "version",
				filepath.Base(page), "there is no command in", m[1])
			for _, word := range rest {
				name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
				must.Hold(t, !strings.HasPrefix(word, "--") || name == "help" || commands[path].Flag(name) != nil,
					filepath.Base(page), path, "has no --", name)
			}
		}
	}
}

// TestPackagingRunsExistingCommands parses the command lines of the container and of
// the systemd units.
func TestPackagingRunsExistingCommands(t *testing.T) {
	t.Parallel()
	list := regexp.MustCompile(`(?:CMD|command:) (\[.*\])`)
	start := regexp.MustCompile(`(?m)^ExecStart=(.*)$`)
	for file, want := range map[string]int{
		"Dockerfile": 2, "docs/packaging/compose.yaml": 1, "docs/packaging/tonne-serve.service": 1,
		"docs/packaging/tonne-share.service": 1, "docs/packaging/tonne-watch.service": 1,
	} {
		text := must.Get(os.ReadFile(filepath.Join(projectRoot, filepath.FromSlash(file))))
		var lines [][]string
		for _, m := range list.FindAllSubmatch(text, -1) {
			var args []string
			err := json.Unmarshal(m[1], &args)
			must.Need(t, err == nil, file, err)
			lines = append(lines, args)
		}
		for _, m := range start.FindAllSubmatch(text, -1) {
			lines = append(lines, strings.Fields(string(m[1])))
		}
		must.Equal(t, len(lines), want, file, "has", "command lines, want")
		for _, args := range lines {
			if args[0] == "/usr/bin/tonne" {
				args = args[1:]
			}
			newWorld(t, nil).unconfigured().must(append(args, "--help")...)
		}
	}
}

// shellBlocks returns the sh code blocks of a page.
func shellBlocks(t *testing.T, page string) (blocks []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(must.Get(os.ReadFile(page))),
		-1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// bashIn returns a home in which tonne is in PATH, and a function that runs a script there.
func bashIn(t *testing.T, home string, env ...string) func(script string) (string, error) {
	for _, tool := range []string{"bash", "curl", "awk"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	must.Succeed(t, os.Symlink(must.Get(os.Executable()), filepath.Join(home, "tonne")))
	env = environment(home, append(env, "PATH="+home+":"+os.Getenv("PATH"), "no_proxy=127.0.0.1", "NO_PROXY=127.0.0.1")...)
	return func(script string) (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
		cmd.Dir, cmd.Env, cmd.WaitDelay = home, env, time.Second
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// TestDocumentedCommandsSucceed runs each command of a shell block against the data of
// `tonne serve --demo-data`. The commands of one page share a home and a directory.
// docs/service.md has a separate test.
func TestDocumentedCommandsSucceed(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	// Two seconds are enough for an endless command to fail.
	endless := regexp.MustCompile(`^tonne (serve|share|demo) -|^tonne watch (?:[^-]|-[^-]|--[^o])*$`)
	for _, page := range pages() {
		commands := commandsOf(strings.Join(shellBlocks(t, page), "\n"))
		if name := filepath.Base(page); name != "service.md" && len(commands) > 0 {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := must.Get(marketplace.Open(t.Context(), "", marketplace.Options{RatePerSecond: -1}))
				t.Cleanup(func() { _ = m.Close() })
				made := must.Get(demo.Load(t.Context(), m, demo.Options{Seed: 1}))
				run := bashIn(t, t.TempDir(), "TONNE_BASE_URL="+listen(t, m.Handler()), "TONNE_API_KEY="+made.Key)
				for _, command := range commands {
					if endless.MatchString(command) {
						command = "timeout -s TERM 2 " + command + " || [ $? = 124 ]"
					}
					out, err := run(command)
					must.Hold(t, err == nil, command, err, out)
				}
			})
		}
	}
}

// commandsOf returns the tonne commands of shell text, each with its here document. It
// skips other programs, such as go and ssh, which need more than the test has.
func commandsOf(text string) (commands []string) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if end := regexp.MustCompile(`<<'(\w+)'`).FindStringSubmatch(line); end != nil {
			for ; i+1 < len(lines) && lines[i] != end[1]; i++ {
				line += "\n" + lines[i+1]
			}
		}
		if strings.HasPrefix(line, "tonne ") || strings.HasPrefix(line, "cat > ") {
			commands = append(commands, line)
		}
	}
	return commands
}

// TestCommandsOfServicePageSucceed runs the commands of docs/service.md with an empty home
// and another port.
func TestCommandsOfServicePageSucceed(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	home := t.TempDir()
	run := bashIn(t, home)
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	script := strings.ReplaceAll(strings.Join(shellBlocks(t, projectRoot+"/docs/service.md"), ""), ":8080", ":"+port)
	out, err := run("trap 'kill \"$SERVICE\" 2>/dev/null || true' EXIT\n" + script)
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(home, "serve.log"))
		t.Fatalf("%v:\n%s\nlog of the service:\n%s", err, out, log)
	}
	for _, want := range []string{"COMPLETE", "19334-940082955-940082994-VCS-VCU-576-VER-ET-14-1340-01012021-31122021-0",
		`"retiree_name":"Acme Ltd"`, `"price_cents":"620"`} {
		must.Hold(t, strings.Contains(out, want), want, "is missing in", out)
	}
	saved := must.Get(filepath.Glob(filepath.Join(home, "*.pdf")))
	must.Equal(t, len(saved), 1, "certificates", saved)
}
