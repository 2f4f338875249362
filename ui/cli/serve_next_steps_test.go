package cli

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/ui/cli/command"
	"tonne/ui/cli/terminal"
)

// untilListening is standard output that calls end when the service listens.
type untilListening struct {
	strings.Builder
	end func()
}

func (u *untilListening) Write(text []byte) (int, error) {
	if strings.Contains(string(text), "listening") {
		u.end()
	}
	return u.Builder.Write(text)
}

// serveBriefly runs a service until it listens.
func (w *world) serveBriefly(args ...string) result {
	ctx, cancel := context.WithCancelCause(w.t.Context())
	stdout := &untilListening{end: func() { cancel(&terminal.SignalError{Signal: 15}) }}
	var stderr strings.Builder
	status := Run(ctx, command.Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: stdout, Stderr: &stderr, Now: time.Now,
		Getenv: func(name string) string { return w.env[name] },
	})
	return result{status, stdout.String(), stderr.String()}
}

func TestServeReportsDatabaseAndNextSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		args       []string
		file       string
		key, login string
	}{
		{"default", nil, "data/tonne/marketplace.db", "tonne serve keys create --tenant NAME --create-tenant", "http://127.0.0.1:"},
		{"path with a blank", []string{"--db"}, "my market.db", "my market.db' --tenant NAME --create-tenant", "http://127.0.0.1:"},
		{"demo data", []string{"--demo-data", "--db"}, "demo.db", "", "http://127.0.0.1:"},
		{"all addresses", []string{"--listen", ":0", "--db"}, "all.db", "all.db --tenant NAME --create-tenant", "http://127.0.0.1:"},
	} {
		w := newWorld(t, nil).unconfigured()
		path := filepath.Join(w.env["HOME"], filepath.FromSlash(c.file))
		args := []string{"serve", "--listen", "127.0.0.1:0"}
		if c.args != nil {
			args = append(append(args, c.args...), path)
		}
		r := w.serveBriefly(args...)
		got := firstRecord(t, r.stderr)
		if !got.Made || got.Message != "serving the database "+path || !strings.HasSuffix(got.Key, c.key) || (got.Key == "") != (c.key == "") ||
			!strings.HasPrefix(got.Login, "tonne auth login --base-url "+c.login) || got.Dashboard != "tonne" {
			t.Errorf("%s: %+v", c.name, got)
		}
		if again := firstRecord(t, w.serveBriefly(args...).stderr); again.Made && c.key != "" {
			t.Errorf("%s: an existing database is reported as new", c.name)
		}
		if strings.Contains(r.stdout, "dashboard") {
			t.Errorf("%s: standard output has more than data:\n%s", c.name, r.stdout)
		}
	}
}

// record is an entry of a service's log.
type record struct {
	Message   string `json:"msg"`
	Made      bool   `json:"made"`
	Key       string `json:"make_a_key"`
	Login     string `json:"store_the_key"`
	Dashboard string `json:"open_the_dashboard"`
}

// firstRecord returns the first record with next steps. Every line must be a record.
func firstRecord(t *testing.T, log string) (first record) {
	t.Helper()
	for n, line := range strings.Split(strings.TrimSpace(log), "\n") {
		var one record
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Errorf("not a log record: %s", line)
		}
		if n == 0 || first.Dashboard == "" {
			first = one
		}
	}
	return first
}

func TestShellWordQuotes(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/var/lib/m.db": "/var/lib/m.db", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "": "''"} {
		if got := command.ShellWord(path); got != want {
			t.Errorf("%q is %s, want %s", path, got, want)
		}
	}
}
