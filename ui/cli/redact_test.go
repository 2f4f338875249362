package cli

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// mistyped looks like a key, but no setting contains it.
const mistyped = "Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9"

func TestMisplacedKeyIsNotPrinted(t *testing.T) {
	t.Parallel()
	type test struct {
		name string
		env  map[string]string
		args []string
	}
	set := func(name string) map[string]string { return map[string]string{name: mistyped} }
	for _, c := range []test{
		{"command", nil, []string{mistyped}}, {"argument", nil, []string{"market", mistyped}},
		{"auth", nil, []string{"auth", mistyped}}, {"auth login", nil, []string{"auth", "login", mistyped}},
		{"completion", nil, []string{"completion", mistyped}}, {"help", nil, []string{"help", mistyped}},
		{"serve keys", nil, []string{"serve", "keys", mistyped}},
		{"flag", nil, []string{"market", "--" + mistyped}}, {"short flags", nil, []string{"market", "-" + mistyped}},
		{"format", nil, []string{"market", "-o" + mistyped}}, {"timeout", nil, []string{"market", "--timeout", mistyped}},
		{"--base-url", nil, []string{"market", "--base-url", mistyped}}, {"--base-url=", nil, []string{"market", "--base-url=" + mistyped}},
		{"--profile", nil, []string{"market", "--profile", mistyped}}, {"--config", nil, []string{"market", "--config", mistyped}},
		{"TONNE_BASE_URL", set("TONNE_BASE_URL"), []string{"market"}}, {"TONNE_PROFILE", set("TONNE_PROFILE"), []string{"market"}},
		{"TONNE_CONFIG", set("TONNE_CONFIG"), []string{"market"}}, {"theme", nil, []string{"--theme", mistyped}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, new(service))
			for name, value := range c.env {
				w.env[name] = value
			}
			r := w.run(c.args...)
			if r.status != 2 || strings.Contains(r.stdout+r.stderr, mistyped[1:]) {
				t.Errorf("status %d:\n%s%s", r.status, r.stdout, r.stderr)
			}
			if _, todo := r.sentences(t); !strings.Contains(strings.ToLower(todo), "key") {
				t.Errorf("the advice does not mention the key: %s", todo)
			}
		})
	}
}

func TestEnvironmentKeyIsMaskedInUsageErrors(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"hunter2!", `with "quotes"`, "two\nlines"} {
		for _, args := range [][]string{
			{key}, {"market", key}, {"auth", "login", key}, {"market", "--" + key}, {"market", "--profile", key}, {"market", "--base-url", key},
			{"market", "--timeout", key}, {"completion", key}, {"serve", key}, {"help", key}, {"market", "--config", filepath.Join("/", key)},
		} {
			w := newWorld(t, http.NotFoundHandler())
			w.env["TONNE_API_KEY"] = key
			r := w.run(args...)
			if r.status != 2 || strings.Contains(r.stderr, key) || strings.Contains(r.stderr, strings.Trim(strconv.Quote(key), `"`)) {
				t.Errorf("tonne %q: status %d\n%s", args, r.status, r.stderr)
			}
		}
	}
}

func TestPasswordInURLIsNotPrinted(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"https://u:secretpw@exa mple.com", "https://u:secretpw@market.example", "https://u:secret/pw@market.example", "u:secretpw@market.example",
		"https://u:secretpw@", "ftp://u:secretpw@market.example", "https://u:secretpw@market.example:port",
	} {
		for _, args := range [][]string{{"market", "--base-url", address}, {"auth", "login", "--base-url", address}} {
			r := newWorld(t, http.NotFoundHandler()).run(args...)
			if r.status != 2 || strings.Contains(r.stderr, "secret") {
				t.Errorf("tonne %q: status %d\n%s", args, r.status, r.stderr)
			}
			r.sentences(t)
		}
	}
	r := newWorld(t, http.NotFoundHandler()).run("https://u:secretpw@market.example")
	if r.status != 2 || strings.Contains(r.stderr, "secretpw") {
		t.Errorf("as a command: status %d\n%s", r.status, r.stderr)
	}
}
