package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/dashboard"
	"tonne/ui/cli/terminal"
)

const twoProfiles = `profile = "test"

[profiles.test]
base_url = "https://test.example"

[profiles.prod]
base_url = "https://prod.example:8443/path/"
label = "Acme"
production = true
`

// settings returns the settings of a command with the given flags.
func (w *world) settings(configure func(a *command.App)) (*command.Settings, error) {
	a := command.NewApp(command.Process{
		Getenv: func(name string) string { return w.env[name] }, Keyring: w.ring, Stderr: new(strings.Builder),
	}, new(terminal.Terminal))
	configure(a)
	s, err := a.Settings()
	if err != nil {
		return s, err
	}
	return s, a.FindKey(s)
}

// store stores a key like `auth login`.
func (w *world) store(profile, base, key string) {
	w.t.Helper()
	keys := credentials.Open(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "credentials"), w.ring)
	if _, err := keys.Save(profile, config.BaseURL(base), key); err != nil {
		w.t.Fatal(err)
	}
}

func TestSettingsPrecedence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		prepare   func(w *world)
		configure func(a *command.App)
		want      string
	}{
		{"flag before the environment", func(w *world) {}, func(a *command.App) { a.Flags["base_url"] = "https://flag.example/" }, "https://flag.example"},
		{"TONNE_BASE_URL before the file", func(w *world) { w.configure(twoProfiles) }, func(*command.App) {}, "https://market.example"},
		{"the file's profile before stored credentials", func(w *world) {
			w.unconfigured().configure(twoProfiles)
			w.store("", "https://stored.example", "k")
			w.store("test", "https://test.example", "k")
			w.store("", "https://stored.example", "k")
		}, func(*command.App) {}, "https://test.example"},
		{"--profile before TONNE_PROFILE", func(w *world) {
			w.unconfigured().configure(twoProfiles)
			w.env["TONNE_PROFILE"], w.env["TONNE_API_KEY"] = "test", testKey
		}, func(a *command.App) { a.Flags["profile"] = "prod" }, "https://prod.example:8443/path"},
		{"TONNE_PROFILE before the file's profile", func(w *world) {
			w.unconfigured().configure(twoProfiles)
			w.env["TONNE_PROFILE"], w.env["TONNE_API_KEY"] = "prod", testKey
		}, func(*command.App) {}, "https://prod.example:8443/path"},
		{"--config before TONNE_CONFIG", func(w *world) {
			w.unconfigured().env["TONNE_API_KEY"] = testKey
			w.env["TONNE_CONFIG"] = w.write("other.toml", "profile = \"p\"\n[profiles.p]\nbase_url = \"https://other.example\"\n")
			w.configure(twoProfiles)
		}, func(a *command.App) { a.Flags["config"] = filepath.Join(a.ConfigDir(), "config.toml") }, "https://test.example"},
		{"TONNE_CONFIG before the default file", func(w *world) {
			w.unconfigured().env["TONNE_API_KEY"] = testKey
			w.env["TONNE_CONFIG"] = w.write("other.toml", "profile = \"p\"\n[profiles.p]\nbase_url = \"https://other.example\"\n")
			w.configure(twoProfiles)
		}, func(*command.App) {}, "https://other.example"},
		{"stored credentials without other settings", func(w *world) {
			w.unconfigured().store("", "https://older.example", "k")
			w.store("", "https://stored.example", "k")
		}, func(*command.App) {}, "https://stored.example"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			c.prepare(w)
			s, err := w.settings(c.configure)
			if err != nil {
				t.Fatal(err)
			}
			if string(s.BaseURL) != c.want {
				t.Errorf("base URL %s from %s, want %s", s.BaseURL, s.BaseURLFrom, c.want)
			}
		})
	}
}

func TestEnvironmentKeySkipsKeyring(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.store("", baseURL, "stored")
	w.ring.calls = 0
	s, err := w.settings(func(*command.App) {})
	if err != nil || s.Key != testKey || w.ring.calls != 0 {
		t.Errorf("key from %s, %d calls of the keyring, %v", s.KeyFrom, w.ring.calls, err)
	}
}

func TestStoredKeyIsBoundToOriginAndProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	w.configure(twoProfiles)
	w.store("test", "https://test.example", "right")
	for _, base := range []string{"https://test.example:8443", "https://elsewhere.example", "http://127.0.0.1"} {
		if s, err := w.settings(func(a *command.App) { a.Flags["base_url"] = base }); err == nil {
			t.Errorf("key %q is used for %s", s.Key, base)
		}
	}
	if s, err := w.settings(func(a *command.App) { a.Flags["profile"] = "prod" }); err == nil {
		t.Errorf("key %q is used for another profile", s.Key)
	}
	if s, err := w.settings(func(a *command.App) { a.Flags["base_url"] = "https://TEST.example:443/" }); err != nil || s.Key != "right" {
		t.Errorf("same origin with another spelling: %v", err)
	}
}

func TestTimeoutPrecedence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if s, _ := w.settings(func(*command.App) {}); s.Timeout.String() != "10s" {
		t.Errorf("default %s", s.Timeout)
	}
	w.configure("timeout = \"3s\"\n")
	if s, _ := w.settings(func(*command.App) {}); s.Timeout.String() != "3s" {
		t.Errorf("file %s", s.Timeout)
	}
	if s, _ := w.settings(func(a *command.App) { a.Flags["timeout"] = "5s" }); s.Timeout.String() != "5s" {
		t.Errorf("flag %s", s.Timeout)
	}
}

func TestConfigurationErrorNamesLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	w.configure("profile = \"test\"\n\n[profiles.test]\nbase_url = \"https://test.example\"\ntheme = \"dark\"\n")
	r := w.run("market")
	what, _ := r.sentences(t)
	if r.status != 2 || !strings.Contains(what, `config.toml:5: unknown setting "theme"; permitted: base_url, label, production`) {
		t.Errorf("status %d: %s", r.status, what)
	}
}

func TestConfigShowPrintsSourcesAndMasksKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.configure("theme = \"light\"\n" + twoProfiles)
	got := w.must("config", "show", "--profile", "prod")
	for _, want := range []string{
		"profile      none: prod has another address", "base_url     https://market.example (TONNE_BASE_URL)",
		"key          ******** (TONNE_API_KEY)", "timeout      10s (default)", "theme        light (", "prod, test",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}

func TestConfigShowWarnsOfUnknownKeyBinding(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.configure("[keys]\n\"market.quote\" = \"b\"\n\"market.qoute\" = \"B\"\n")
	if r := w.run("config", "show"); r.status != 0 || r.stderr != "tonne: there is no key binding named \"market.qoute\".\n" {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
}

func TestConfigInitWritesValidFileOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service))
	path := strings.TrimSpace(w.must("config", "init"))
	if text, err := os.ReadFile(path); err != nil || string(text) != config.Template() {
		t.Fatalf("%v", err)
	}
	w.must("market")
	r := w.run("config", "init")
	if r.status != 1 {
		t.Errorf("status %d", r.status)
	}
	r.sentences(t)
}

func TestConfigEditValidatesFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.env["EDITOR"] = w.script("editor", "#!/bin/sh\necho 'theme = \"pink\"' >> \"$1\"\n")
	r := w.run("config", "edit")
	what, _ := r.sentences(t)
	if r.status != 2 || !strings.Contains(what, `unknown theme "pink"; permitted: auto, dark, light, mono`) {
		t.Errorf("status %d: %s", r.status, what)
	}
}

// script writes an executable in the home directory.
func (w *world) script(name, text string) string {
	w.t.Helper()
	path := w.write(name, text)
	if err := os.Chmod(path, 0o700); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func TestDashboardOptionsComeFromConfiguration(t *testing.T) {
	t.Parallel()
	file, err := config.Parse("config.toml", "theme = \"light\"\nmouse = false\ncertificates = \"/tmp/c\"\n[keys]\n\"market.quote\" = \"B\"\n")
	if err != nil {
		t.Fatal(err)
	}
	d := &dashboard.Dashboard{App: command.NewApp(command.Process{Getenv: os.Getenv}, new(terminal.Terminal))}
	o := d.Options(file)
	if o.Theme != "light" || !o.NoMouse || o.CertificateDir != "/tmp/c" || o.Remap["market.quote"][0] != "B" {
		t.Errorf("%+v", o)
	}
	d.App.Flags["theme"] = "dark"
	if o := d.Options(file); o.Theme != "dark" {
		t.Errorf("the flag does not override the file: %s", o.Theme)
	}
}
