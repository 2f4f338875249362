package cli

import (
	"net/http"
	"strings"
	"testing"

	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
)

const stagingAndProd = `profile = "staging"

[profiles.staging]
base_url = "https://staging.example"
label = "Staging"
allow_retire = true

[profiles.prod]
base_url = "https://prod.example/api"
label = "Acme"
production = true

[profiles.retirer]
base_url = "https://retire.example"
allow_retire = true
`

func TestBaseURLSelectsProfile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, flag, env, profile    string
		base, wantName, label, prod string
		retires                     bool
	}{
		{"no base URL", "", "", "", "https://staging.example", "staging", "Staging", "", true},
		{"base URL of the profile", "https://STAGING.example:443/", "", "", "https://staging.example", "staging", "Staging", "", true},
		{"unknown base URL", "https://other.example", "", "", "https://other.example", "", "", "", false},
		{"unknown base URL and --profile", "https://other.example", "", "staging", "https://other.example", "", "", "", false},
		{"another path", "https://staging.example/v2", "", "", "https://staging.example/v2", "", "", "", false},
		{"another port", "https://staging.example:8443", "", "", "https://staging.example:8443", "", "", "", false},
		{"base URL of another profile", "https://PROD.example:443/api//", "", "", "https://prod.example/api", "prod", "Acme", "PRODUCTION (profile prod)", false},
		{"base URL of another profile and --profile", "https://prod.example/api", "", "staging", "https://prod.example/api", "prod", "Acme", "PRODUCTION (profile prod)", false},
		{"TONNE_BASE_URL of another profile", "", "https://prod.example/api", "", "https://prod.example/api", "prod", "Acme", "PRODUCTION (profile prod)", false},
		{"TONNE_BASE_URL and --profile", "", "https://prod.example/api", "staging", "https://prod.example/api", "prod", "Acme", "PRODUCTION (profile prod)", false},
		{"base URL of a profile with allow_retire", "https://retire.example", "", "prod", "https://retire.example", "retirer", "retirer", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil).unconfigured()
			w.configure(stagingAndProd)
			w.env["TONNE_BASE_URL"], w.env["TONNE_API_KEY"] = c.env, testKey
			s, err := w.settings(func(a *command.App) { a.Flags["base_url"], a.Flags["profile"] = c.flag, c.profile })
			if err != nil {
				t.Fatal(err)
			}
			if string(s.BaseURL) != c.base || s.ProfileName != c.wantName || s.Label() != c.label || s.Production() != c.prod || s.Profile.AllowRetire != c.retires {
				t.Errorf("%s, profile %q, label %q, %q, retires: %v", s.BaseURL, s.ProfileName, s.Label(), s.Production(), s.Profile.AllowRetire)
			}
		})
	}
}

func TestBaseURLIsProductionIfAnyProfileIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	w.configure("[profiles.a]\nbase_url = \"" + baseURL + "\"\nallow_retire = true\n[profiles.b]\nbase_url = \"" + baseURL + ":443/\"\nproduction = true\n")
	for _, args := range [][]string{nil, {"--profile", "a"}, {"--profile", "b"}} {
		if got := w.must(append([]string{"config", "show"}, args...)...); !strings.Contains(got, "environment  PRODUCTION (profile b)") {
			t.Errorf("config show %v:\n%s", args, got)
		}
		if r := w.run(append([]string{"market"}, args...)...); !strings.Contains(r.stderr, "PRODUCTION") {
			t.Errorf("market %v:\n%s", args, r.stderr)
		}
	}
	// Two profiles have this base URL, so neither applies unless named.
	got := w.must("config", "show")
	if !strings.Contains(got, "profile      none: a, b have this address: choose with --profile") || !strings.Contains(got, "allow_retire no") {
		t.Error(got)
	}
}

func TestRetirementPlanNamesProduction(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.configure("[profiles.staging]\nbase_url = \"https://staging.example\"\nallow_retire = true\n[profiles.prod]\nbase_url = \"" + baseURL + "\"\nproduction = true\n")
	args := []string{"retire", "--vintage", "004bale21", "--tonnes", "4", "--dry-run", "--profile", "staging", "--base-url", baseURL}
	if got := r.run(args...); got.status != command.StatusUsage || !strings.Contains(got.stderr, "retiring is not allowed for market.example, which is PRODUCTION (profile prod)") {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
	got := r.must(append(args, "--allow-retire")...)
	if !strings.Contains(got, "PRODUCTION (profile prod)") {
		t.Errorf("the plan does not name production:\n%s", got)
	}
}

func TestProfileKeyIsBoundToItsBaseURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	w.configure(stagingAndProd)
	w.store("staging", "https://other.example", "k")
	w.store("staging", "https://staging.example", "k")
	for _, profile := range []string{"", "staging"} {
		if s, err := w.settings(func(a *command.App) { a.Flags["base_url"], a.Flags["profile"] = "https://other.example", profile }); err == nil {
			t.Errorf("the key of profile staging is used for %s", s.BaseURL)
		}
	}
	if r := w.run("auth", "logout", "--profile", "staging", "--base-url", "https://other.example"); r.status != 0 || !strings.Contains(r.stderr, "other.example, profile staging is removed") {
		t.Errorf("an unused key cannot be removed: %s", r.stderr)
	}
}

func TestMovedProfileDoesNotUseOldKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	w.store("staging", "https://old.example", "k")
	w.configure("[profiles.staging]\nbase_url = \"https://new.example\"\n")
	if s, err := w.settings(func(*command.App) {}); err != command.ErrNotConfigured {
		t.Errorf("%v, %+v", err, s)
	}
}

func TestPendingCallsOfMovedProfileAreListed(t *testing.T) {
	t.Parallel()
	r := newRetirer(t)
	r.configure("[profiles.staging]\nbase_url = \"" + baseURL + "\"\nallow_retire = true\n")
	r.before = func(w http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPost {
			return false
		}
		w.WriteHeader(http.StatusBadGateway)
		return true
	}
	if got := r.run("retire", "--vintage", "004bale21", "--tonnes", "4", "--profile", "staging", "--yes", "--timeout", "1s"); got.status != command.StatusUnreachable {
		t.Fatalf("status %d: %s", got.status, got.stderr)
	}
	r.configure("[profiles.staging]\nbase_url = \"https://moved.example\"\n")
	pending := []string{"retire", "pending", "--profile", "staging", "--base-url", baseURL}
	if got := r.run(pending...); got.status != 0 || !strings.Contains(got.stdout, "004bale21") && !strings.Contains(got.stdout, "4 t") {
		t.Errorf("the call is not listed with its own key: status %d: %s%s", got.status, got.stdout, got.stderr)
	}
	r.env["TONNE_API_KEY"] = strings.Repeat("a1", 20)
	if got := r.run(pending...); got.status != 0 || !strings.Contains(got.stderr, "not visible with this key: 1 call to "+baseURL+" made with the profile staging") {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
}

func TestBaseURLComparisonIgnoresSpelling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://m.example", "https://M.Example:443/", true}, {"https://m.example/a", "https://m.example/a/", true},
		{"http://127.0.0.1", "http://127.0.0.1:80", true}, {"https://m.example", "https://m.example:8443", false},
		{"https://m.example/a", "https://m.example/A", false}, {"https://m.example/a", "https://m.example", false},
		{"http://localhost", "https://localhost", false}, {"http://localhost:8080", "http://localhost:08080", true},
	} {
		a, errA := config.ParseBaseURL(c.a)
		b, errB := config.ParseBaseURL(c.b)
		if errA != nil || errB != nil || a.Same(b) != c.same || b.Same(a) != c.same {
			t.Errorf("%s and %s: same is %v", c.a, c.b, a.Same(b))
		}
	}
}
