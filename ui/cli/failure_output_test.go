package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/credentials"
)

func TestFailureIsJSONObjectForPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		handler   http.Handler
		args      []string
		code      string
		status    int
		retryable bool
	}{
		{apitest.Status(401, "{}"), []string{"market", "-o", "json"}, "unauthorized", 3, false},
		{apitest.Status(403, "{}"), []string{"market", "-o=jsonl"}, "forbidden", 3, false},
		{new(service), []string{"retirement", "R9", "--output", "json"}, "not_found", 4, false},
		{new(service), []string{"retirement", "R8", "R9", "-ojson"}, "not_found", 4, false},
		{new(service), []string{"project", "P9", "--output=json"}, "not_found", 4, false},
		{new(service), []string{"quote", "V1", "1,500", "-o", "json"}, "too_little", 4, false},
		{new(service), []string{"basket", "--tonnes", "9000000000000", "-o", "json"}, "too_little", 4, false},
		{apitest.Status(401, "{}"), []string{"basket", "--budget", "100", "-o", "json"}, "unauthorized", 3, false},
		{apitest.Status(401, "{}"), []string{"statement", "--from", "2000-01-01", "--to", "2000-02-01", "-o", "json"}, "unauthorized", 3, false},
		{apitest.Status(401, "{}"), []string{"ledger", "close", "2000-01", "-o", "json"}, "unauthorized", 3, false},
		{apitest.Status(401, "{}"), []string{"watch", "--once", "--vintage", "V1", "--rule", "price < 5", "-o", "jsonl"}, "unauthorized", 3, false},
		{nil, []string{"ledger", "close", "october", "-o", "json"}, "usage", 2, false},
		{nil, []string{"ledger", "find", "-o", "json"}, "usage", 2, false},
		{nil, []string{"ledger", "find", "nothing", "-o", "jsonl"}, "not_found", 4, false},
		{nil, []string{"evidence", "verify", "/nonexistent.zip", "-o", "json"}, "failed", 1, false},
		{nil, []string{"statement", "-o", "json"}, "usage", 2, false},
		{nil, []string{"attributes", "list", "-o", "json", "--config", "/nonexistent"}, "configuration", 2, false},
		{nil, []string{"serve", "--db", "/nonexistent.db", "orders", "list", "-o", "json"}, "failed", 1, false},
		{nil, []string{"serve", "move", "--from", "/nonexistent.db", "--to", "/nonexistent.db", "-o", "json"}, "failed", 1, false},
		{apitest.Status(503, ""), []string{"inventory", "-o", "json"}, "server_error", 5, true},
		{apitest.RateLimited("1"), []string{"inventory", "-o", "json"}, "rate_limited", 5, true},
		{apitest.Hang(), []string{"inventory", "-o", "json"}, "timed_out", 5, true},
		{apitest.Reset(), []string{"market", "-o", "json"}, "unreachable", 5, true},
		{apitest.HTML(), []string{"market", "-o", "json"}, "not_the_api", 5, false},
		{nil, []string{"market", "-o", "json", "--nonsense"}, "usage", 2, false},
		{nil, []string{"market", "--nonsense", "-o", "json"}, "usage", 2, false},
		{nil, []string{"market", "-o", "json", "--config", "/nonexistent"}, "configuration", 2, false},
		{nil, []string{"market", "-o", "json", "--base-url", "http://market.example"}, "usage", 2, false},
	} {
		inBubble(t, func(t *testing.T) {
			r := newWorld(t, c.handler).run(c.args...)
			f := r.object(t)
			if r.status != c.status || f.Code != c.code || f.Retryable != c.retryable {
				t.Errorf("%v: status %d: %s", c.args, r.status, r.stderr)
			}
		})
	}
}

func TestMissingConfigurationIsJSONObjectForPrograms(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"market", "ledger", "ledger find R1", "ledger close 2026-01", "attributes list", "statement --from 2026-01-01", "basket --tonnes 1"} {
		if f := newWorld(t, nil).unconfigured().run(append(strings.Fields(args), "-o", "json")...).object(t); f.Code != "not_configured" {
			t.Errorf("%s: %+v", args, f)
		}
	}
}

func TestWarningIsJSONObjectForPrograms(t *testing.T) {
	t.Parallel()
	s := new(service)
	r := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/projects" {
			http.NotFound(w, r)
			return
		}
		s.ServeHTTP(w, r)
	})).run("market", "-o", "json")
	var n command.Notice
	if err := json.Unmarshal([]byte(r.stderr), &n); err != nil || r.status != 0 || n.Code != "warning" || !strings.Contains(n.Message, "names are missing") {
		t.Errorf("status %d, %v: %s", r.status, err, r.stderr)
	}
}

func TestFailureIsTextWithoutJSONOutput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"market", "-o", "csv", "x"}, {"market", "--", "-o", "json"}, {"retirement", "--file", "x.json"}} {
		if r := newWorld(t, nil).run(args...); !strings.HasPrefix(r.stderr, "tonne: ") {
			t.Errorf("%v: %s", args, r.stderr)
		}
	}
}

func TestRetryAfterWaitIsReported(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		handler := apitest.Sequence(apitest.RateLimited("2"), apitest.Status(500, ""), apitest.RateLimited("60"), new(service))
		r := newWorld(t, handler).run("project")
		if want := "tonne: waiting 2 s, as the service requests; waiting 60 s, as the service requests.\n"; r.status != 0 || r.stderr != want {
			t.Errorf("status %d, %q, want %q", r.status, r.stderr, want)
		}
		r = newWorld(t, apitest.Sequence(apitest.RateLimited("2"), new(service))).run("project", "-o", "json")
		if want := `{"code":"wait","message":"waiting 2 s, as the service requests.","seconds":2}` + "\n"; r.status != 0 || r.stderr != want {
			t.Errorf("status %d, %q, want %q", r.status, r.stderr, want)
		}
	})
}

func TestConcurrentWaitsAreReportedOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		began, s := time.Now(), new(service)
		r := newWorld(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if time.Since(began) < time.Second {
				apitest.RateLimited("3").ServeHTTP(w, r)
				return
			}
			s.ServeHTTP(w, r)
		})).run("market")
		if want := "tonne: waiting 3 s, as the service requests.\n"; r.status != 0 || r.stderr != want || len(s.requests) < 4 {
			t.Errorf("status %d, %q, want %q", r.status, r.stderr, want)
		}
	})
}

func TestFailureFollowsWaitsOnSameLine(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		r := newWorld(t, apitest.RateLimited("1")).run("project")
		what, _ := r.sentences(t)
		want := "tonne: waiting 1 s, as the service requests; the service asks for fewer requests."
		if what != want {
			t.Errorf("%s, want %s", what, want)
		}
	})
}

func TestRefusedKeyNamesItsSource(t *testing.T) {
	t.Parallel()
	const stored = "[profiles.acme]\nbase_url = \"" + baseURL + "\"\n"
	for _, status := range []int{401, 403} {
		for _, c := range []struct {
			name, want string
			profile    string
			ring       bool
		}{
			{"environment", "the environment variable TONNE_API_KEY", "", true},
			{"keyring", "the keyring", "", true},
			{"keyring of a profile", "the keyring, profile acme", "acme", true},
			{"file", "keys.json", "", false},
			{"file of a profile", "keys.json, profile acme", "acme", false},
		} {
			w := newWorld(t, apitest.Status(status, "{}"))
			w.configure(stored)
			if !c.ring {
				w.ring.err = credentials.ErrNone
			}
			if c.name != "environment" {
				w.store(c.profile, baseURL, testKey)
				delete(w.env, "TONNE_API_KEY")
			}
			for _, args := range [][]string{{"market"}, {"inventory"}, {"retirement", "R1", "R2"}, {"project"}, {"quote", "V1", "1"}, {"auth", "status"}} {
				if c.profile != "" {
					args = append(args, "--profile", c.profile)
				}
				r := w.run(args...)
				if want := "the key comes from "; r.status != 3 || !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, c.want+".") {
					t.Errorf("%d, %s, %v: status %d: %s", status, c.name, args, r.status, r.stderr)
				}
			}
		}
	}
}

func TestAdviceForRefusedEnvironmentKeyIsNotLogin(t *testing.T) {
	t.Parallel()
	_, todo := newWorld(t, apitest.Status(401, "{}")).run("market").sentences(t)
	if !strings.Contains(todo, "TONNE_API_KEY") || !strings.Contains(todo, "nset") {
		t.Error(todo)
	}
	w := newWorld(t, apitest.Status(401, "{}"))
	w.stdin = testKey
	if what, _ := w.run("auth", "login").sentences(t); !strings.Contains(what, "standard input") {
		t.Error(what)
	}
}

func TestEveryCommandNamesProductionOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	delete(w.env, "TONNE_BASE_URL")
	w.configure(strings.ReplaceAll(twoProfiles, "https://prod.example:8443/path/", baseURL))
	w.env["TONNE_PROFILE"] = "prod"
	const word = "PRODUCTION (profile prod)"
	for _, args := range [][]string{
		{"market"}, {"inventory"}, {"retirement", "R1"}, {"project"}, {"quote", "V1", "1"}, {"market", "-o", "json"}, {"market", "-o", "csv"},
		{"basket", "--tonnes", "1"}, {"basket", "--tonnes", "1", "-o", "json"}, {"basket", "--tonnes", "1", "-o", "csv"},
		{"ledger"}, {"ledger", "-o", "jsonl"}, {"ledger", "find", "R1", "-o", "json"}, {"ledger", "close", "2026-01", "-o", "json"},
		{"statement", "--from", "2000-01-01", "-o", "json"}, {"attributes", "list", "-o", "json"},
		{"watch", "--once", "--vintage", "V1", "--rule", "price < 7", "-o", "jsonl"}, {"watch", "--once", "--vintage", "V1", "--rule", "price < 7"},
	} {
		if r := w.run(args...); r.status != 0 || strings.Count(r.stderr, word) != 1 {
			t.Errorf("%v: status %d: %s", args, r.status, r.stderr)
		}
	}
	for _, args := range [][]string{{"auth", "status"}, {"config", "show"}} {
		if got := w.must(args...); !strings.Contains(got, "environment  "+word) {
			t.Errorf("%v: %s", args, got)
		}
	}
	w.stdin = testKey
	for _, args := range [][]string{{"auth", "login"}, {"auth", "logout"}} {
		if r := w.run(args...); r.status != 0 || !strings.Contains(r.stderr, "PRODUCTION") {
			t.Errorf("%v: status %d: %s", args, r.status, r.stderr)
		}
	}
	w.handler = apitest.Status(401, "{}")
	if what, _ := w.run("market").sentences(t); !strings.Contains(what, word) {
		t.Error(what)
	}
	w.env["TONNE_PROFILE"] = "test"
	if r := w.run("market"); strings.Contains(r.stderr, "PRODUCTION") {
		t.Error(r.stderr)
	}
}

func TestBriefSource(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		command.FromEnvironment: "TONNE_API_KEY", "the keyring, profile acme": "the keyring, profile acme",
		"the file /home/me/.local/share/tonne/credentials/keys.json": "the file ~/.local/share/tonne/credentials/keys.json",
	} {
		if got := command.BriefSource(source, "/home/me"); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}
