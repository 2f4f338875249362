package cli

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/terminal"
)

// settings returns the settings of a command with flags of name and value.
func (w *world) settings(flags ...string) (*command.Settings, error) {
	a := w.app()
	for i := 0; i < len(flags); i += 2 {
		a.Flags[flags[i]] = flags[i+1]
	}
	s, err := a.Settings()
	if err != nil {
		return s, err
	}
	return s, a.FindKey(s)
}

// store stores a key like `auth login`.
func (w *world) store(profile, base, key string) {
	w.t.Helper()
	must(credentials.Open(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "credentials"), w.ring).Save(profile, config.BaseURL(base), key))
}

func TestStoredKeyIsBoundToOriginAndProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	w.store("", "https://older.example", "k")
	w.store("", "https://stored.example", "k")
	if s, err := w.settings(); err != nil || s.BaseURL != "https://stored.example" {
		t.Errorf("without a configuration: %v, %v", s, err)
	}
	w.configure("profile = \"test\"\n[profiles.test]\nbase_url = \"https://test.example\"\n[profiles.prod]\nbase_url = \"https://prod.example\"\n")
	w.store("test", "https://test.example", "right")
	w.store("test", "https://old.example", "k")
	for _, flags := range [][]string{
		{"base_url", "https://test.example:8443"}, {"base_url", "https://old.example"}, {"base_url", "https://old.example", "profile", "test"},
		{"base_url", "http://127.0.0.1"}, {"profile", "prod"},
	} {
		if s, err := w.settings(flags...); err == nil {
			t.Errorf("key %q is used for %v", s.Key, flags)
		}
	}
	if s, err := w.settings("base_url", "https://TEST.example:443/"); err != nil || s.Key != "right" {
		t.Errorf("same origin with another spelling: %v", err)
	}
	w.env["TONNE_API_KEY"], w.ring.calls = testKey, 0
	if s, err := w.settings(); err != nil || s.Key != testKey || w.ring.calls != 0 {
		t.Errorf("key from %s, %d calls of the keyring, %v", s.KeyFrom, w.ring.calls, err)
	}
	w = newWorld(t, nil).unconfigured()
	w.configure("[profiles.test]\nbase_url = \"https://new.example\"\n")
	w.store("test", "https://test.example", "right")
	if s, err := w.settings(); err != command.ErrNotConfigured {
		t.Errorf("the old key of a moved profile: %v, %+v", err, s)
	}
}

func TestProfilesOfOneServiceHaveSeparateAccounts(t *testing.T) {
	t.Parallel()
	account := func(profile string) string {
		return (&command.Settings{BaseURL: "https://market.example", ProfileName: profile}).BookAccount()
	}
	if a, b, none := account("acme"), account("globex"), account(""); a == b || a == none || none != "https://market.example" {
		t.Errorf("%q, %q, %q", a, b, none)
	}
}

func TestDashboardOptionsComeFromConfiguration(t *testing.T) {
	t.Parallel()
	file := must(config.Parse("config.toml", "theme = \"light\"\nmouse = false\ncertificates = \"/tmp/c\"\n[keys]\n\"market.quote\" = \"B\"\n"))
	d := &dashboard.Dashboard{App: command.NewApp(command.Process{Getenv: os.Getenv}, new(terminal.Terminal))}
	if o := d.Options(file); o.Theme != "light" || !o.NoMouse || o.CertificateDir != "/tmp/c" || o.Remap["market.quote"][0] != "B" {
		t.Errorf("%+v", o)
	}
	d.App.Flags["theme"] = "dark"
	if o := d.Options(file); o.Theme != "dark" {
		t.Errorf("the flag does not override the file: %s", o.Theme)
	}
}

func TestLoginTimesOutOnStuckOrBrokenKeyring(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*fakeRing){
		"stuck":  func(r *fakeRing) { r.stuck = make(chan struct{}) },
		"broken": func(r *fakeRing) { r.err = credentials.ErrNone },
	} {
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, new(service)).unconfigured()
			if prepare(w.ring); w.ring.stuck != nil {
				defer close(w.ring.stuck)
			}
			w.stdin = testKey
			start := time.Now()
			r := w.run("auth", "login", "--base-url", baseURL)
			if r.status != 0 || !strings.Contains(r.stderr, "keys.json") {
				t.Errorf("%s: status %d: %s", name, r.status, r.stderr)
			}
			if waited := time.Since(start); name == "stuck" && waited != 3*time.Second {
				t.Errorf("login waits for %s, want 3 s", waited)
			}
		})
	}
}

// The advice names a command for each stored key, until none is left.
func TestLogoutRemovesEveryStoredKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service)).unconfigured()
	w.configure("profile = \"acme\"\n[profiles.acme]\nbase_url = \"" + baseURL + "\"\n")
	w.store("acme", "https://moved.example", "a")
	w.store("gone", baseURL, "b")
	w.store("gone", "https://other.example", "c")
	w.store("", "https://another.example", "d")
	for left := 3; left >= 0; left-- {
		r := w.run("auth", "logout")
		_, todo := r.sentences(t)
		_, rest, found := strings.Cut(todo, "`tonne ")
		if r.status != 2 || !found {
			t.Fatalf("status %d: %s", r.status, r.stderr)
		}
		suggested := strings.Fields(strings.TrimSuffix(rest, "`."))
		if r := w.run(suggested...); r.status != 0 || len(w.ring.secrets) != left {
			t.Errorf("%v: status %d, %d secrets: %s", suggested, r.status, len(w.ring.secrets), r.stderr)
		}
	}
}

func TestNamesOfKeySourceAndUser(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		command.FromEnvironment: "TONNE_API_KEY", "the keyring, profile acme": "the keyring, profile acme",
		"the file /home/me/.local/share/tonne/credentials/keys.json": "the file ~/.local/share/tonne/credentials/keys.json",
	} {
		if got := command.BriefSource(source, "/home/me"); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
	// A cron job has no USER in its environment.
	u, err := user.Current()
	if got := (command.Process{Getenv: func(string) string { return "" }}).MadeBy(); err == nil && got != u.Username {
		t.Errorf("made by %s, want %s", got, u.Username)
	}
}
