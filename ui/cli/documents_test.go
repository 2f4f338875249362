//go:build unix

package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"tonne/api/marketplace"
	"tonne/api/marketplace/demo"
)

// TestDocumentedCommandsSucceed runs each command of a shell block against
// the data of `tonne serve --demo-data`. The commands of one page share a home
// and a directory. docs/service.md has a separate test.
func TestDocumentedCommandsSucceed(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	pages, err := filepath.Glob(projectRoot + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, projectRoot+"/README.md") {
		if name := filepath.Base(page); name != "service.md" {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				runPage(t, page)
			})
		}
	}
}

func runPage(t *testing.T, page string) {
	commands := commandsOf(strings.Join(shellBlocks(t, page), "\n"))
	if len(commands) == 0 {
		return
	}
	home := t.TempDir()
	if err := os.Symlink(executable(t), filepath.Join(home, "tonne")); err != nil {
		t.Fatal(err)
	}
	address, key := serveDemo(t)
	env := environment(home, "PATH="+home+":"+os.Getenv("PATH"), "TONNE_BASE_URL="+address, "TONNE_API_KEY="+key)
	for _, command := range commands {
		if err := runCommand(home, env, command); err != nil {
			t.Errorf("%s\n%v", command, err)
		}
	}
}

// serveDemo starts a service with demo data.
func serveDemo(t *testing.T) (address, key string) {
	m, err := marketplace.Open(t.Context(), "", marketplace.Options{RatePerSecond: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	made, err := demo.Load(t.Context(), m, demo.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.Handler(m.Handler()))
	t.Cleanup(server.Close)
	return server.URL, made.Key
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

// endless matches commands that run until interrupted.
var endless = regexp.MustCompile(`^tonne (serve|share|demo) -|^tonne watch (?:[^-]|-[^-]|--[^o])*$`)

func runCommand(dir string, env []string, command string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if endless.MatchString(command) {
		// Two seconds are enough to fail.
		command = "timeout -s TERM 2 " + command + "; [ $? = 124 ]"
	}
	cmd := exec.CommandContext(ctx, "bash", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if err != nil {
		return &commandError{err, output.String()}
	}
	return nil
}

type commandError struct {
	err    error
	output string
}

func (e *commandError) Error() string { return e.err.Error() + ": " + e.output }

// TestDocumentedCommandsExist looks up the commands and flags that the
// pages name.
func TestDocumentedCommandsExist(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(projectRoot + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := tree(t)
	for _, page := range append(pages, projectRoot+"/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`(tonne [^`|]*)`").FindAllStringSubmatch(string(text), -1) {
			words := strings.Fields(m[1])
			path, rest := words[0], words[1:]
			for len(rest) > 0 && commands[path+" "+rest[0]] != nil {
				path, rest = path+" "+rest[0], rest[1:]
			}
			if path == "tonne" && len(rest) > 0 && regexp.MustCompile(`^[a-z]`).MatchString(rest[0]) && rest[0] != "help" && rest[0] != "version" {
				t.Errorf("%s: there is no command in %s", filepath.Base(page), m[1])
			}
			for _, word := range rest {
				name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
				if strings.HasPrefix(word, "--") && name != "help" && commands[path].Flag(name) == nil {
					t.Errorf("%s: %s has no --%s", filepath.Base(page), path, name)
				}
			}
		}
	}
}
