package cli

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
)

// startDesk runs `tonne share` for people, and prints what it prints.
func (s *script) startDesk(ts *testscript.TestScript, people []string) string {
	env := make(map[string]string)
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "TONNE_BASE_URL",
		"TONNE_API_KEY"} {
		env[name] = ts.Getenv(name)
	}
	if s.desk != nil {
		s.desk.close()
	}
	s.desk = runShare(s.t, command.Process{
		Getenv: func(name string) string { return env[name] }, Now: time.Now, Keyring: s.ring,
		Transport: apitest.Transport(http.HandlerFunc(s.respond)),
	}, s.people, people...)
	_, printed, _ := strings.Cut(s.desk.printed, "host key ")
	_, printed, _ = strings.Cut(printed, "\n")
	return s.stable(ts, printed)
}

// changeKeys writes authorized_keys.
func (s *script) changeKeys(ts *testscript.TestScript, people []string) string {
	directory := filepath.Join(ts.Getenv("XDG_CONFIG_HOME"), "tonne")
	ts.Check(os.MkdirAll(directory, 0o700))
	ts.Check(os.WriteFile(filepath.Join(directory, "authorized_keys"), []byte(s.people.lines(s.t, people)), 0o600))
	return ""
}

// awaitLog waits until an entry of the log of `tonne share` contains all words.
func (s *script) awaitLog(_ *testscript.TestScript, words []string) string {
	s.desk.logs(words...)
	return ""
}

// overSSH runs a command with the client of a person.
func (s *script) overSSH(ts *testscript.TestScript, name, typed, stdin string) (stdout, stderr string) {
	r := s.desk.exec(name, s.unmask(typed), stdin)
	s.status = r.status
	if problem := r.problem(ts.Getenv("TONNE_API_KEY")); problem != "" {
		ts.Fatalf("ssh %s %s: %s", name, typed, problem)
	}
	return s.stable(ts, r.stdout), s.stable(ts, r.stderr)
}

// printSentKeys prints each host with the keys that it received.
func (s *script) printSentKeys(*testscript.TestScript, []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(s.keysSent)), "\n") + "\n"
}
