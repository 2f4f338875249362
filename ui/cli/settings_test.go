package cli

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	must "tonne/model/musttest"
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
	must.Get(credentials.Open(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "credentials"), w.ring).Save(profile,
		config.BaseURL(base), key))
}

func TestStoredKeyIsBoundToOriginAndProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	w.store("", "https://older.example", "k")
	w.store("", "https://stored.example", "k")
	s, err := w.settings()
	must.Hold(t, err == nil && s.BaseURL == "https://stored.example", "without a configuration", s, err)
	w.configure("profile = \"test\"\n[profiles.test]\nbase_url = \"https://test.example\"\n[profiles.prod]\nbase_url = \"https://prod.example\"\n")
	w.store("test", "https://test.example", "right")
	w.store("test", "https://old.example", "k")
	for _, flags := range [][]string{
		{"base_url", "https://test.example:8443"}, {"base_url", "https://old.example"},
		{"base_url", "https://old.example", "profile", "test"},
		{"base_url", "http://127.0.0.1"}, {"profile", "prod"},
	} {
		s, err := w.settings(flags...)
		must.Hold(t, err != nil, "key", s.Key, "is used for", flags)
	}
	s, err = w.settings("base_url", "https://TEST.example:443/")
	must.Hold(t, err == nil && s.Key == "right", "same origin with another spelling", err)
	w.env["TONNE_API_KEY"], w.ring.calls = testKey, 0
	s, err = w.settings()
	must.Hold(t, err == nil && s.Key == testKey && w.ring.calls == 0,
		"key from", s.KeyFrom, w.ring.calls, "calls of the keyring", err)
	w = newWorld(t, nil).unconfigured()
	w.configure("[profiles.test]\nbase_url = \"https://new.example\"\n")
	w.store("test", "https://test.example", "right")
	s, err = w.settings()
	must.Hold(t, err == command.ErrNotConfigured, "the old key of a moved profile", err, s)
}

func TestProfilesOfOneServiceHaveSeparateAccounts(t *testing.T) {
	t.Parallel()
	account := func(profile string) string {
		return (&command.Settings{BaseURL: "https://market.example", ProfileName: profile}).BookAccount()
	}
	a, b, none := account("acme"), account("globex"), account("")
	must.Hold(t, a != b && a != none && none == "https://market.example", a, b, none)
}

func TestDashboardOptionsComeFromConfiguration(t *testing.T) {
	t.Parallel()
	file := must.Get(config.Parse("config.toml",
		"theme = \"light\"\nmouse = false\ncertificates = \"/tmp/c\"\n[keys]\n\"market.quote\" = \"B\"\n"))
	d := &dashboard.Dashboard{App: command.NewApp(command.Process{Getenv: os.Getenv}, new(terminal.Terminal))}
	o := d.Options(file)
	must.Hold(t, o.Theme == "light" && o.NoMouse && o.CertificateDir == "/tmp/c" && o.Remap["market.quote"][0] == "B",
		o)
	d.App.Flags["theme"] = "dark"
	o = d.Options(file)
	must.Equal(t, o.Theme, "dark", "the flag does not override the file")
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
			must.Hold(t, r.status == 0 && strings.Contains(r.stderr, "keys.json"), name, "status", r.status, r.stderr)
			waited := time.Since(start)
			must.Hold(t, name != "stuck" || waited == 3*time.Second, "login waits for", waited, "want 3 s")
		})
	}
}

func TestNamesOfKeySourceAndUser(t *testing.T) {
	t.Parallel()
	acme, store := credentials.Account{Profile: "acme"}, credentials.Open("/home/me/.local/share/tonne/credentials", nil)
	for want, source := range map[string]command.KeySource{
		"TONNE_API_KEY": command.FromEnvironment, "the keyring, profile acme": command.StoredKey(acme, "", store),
		"the file ~/.local/share/tonne/credentials/keys.json": command.StoredKey(credentials.Account{}, credentials.InFile,
			store),
	} {
		must.Equal(t, source.Brief("/home/me"), want, source, "is")
	}
	// A cron job has no USER in its environment.
	u, err := user.Current()
	got := (command.Process{Getenv: func(string) string { return "" }}).MadeBy()
	must.Hold(t, err != nil || got == u.Username, "made by", got, "want", u.Username)
}
