package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tonne/ui/cli/config"
)

const completeConfig = `profile = "acme"
theme = "light"
mouse = false
timeout = "3s"
certificates = "/tmp/certificates"

[profiles.acme]
base_url = "https://Market.example/api/"
label = "Acme"
production = true

[keys]
"market.quote" = ["b", "ctrl+b"]
"quit" = "Q"
`

func TestParseReadsEverySetting(t *testing.T) {
	t.Parallel()
	f, err := config.Parse("config.toml", completeConfig)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := f.Lookup("acme")
	if !ok || p.BaseURL != "https://market.example/api" || p.Label != "Acme" || !p.Production {
		t.Errorf("profile %+v", p)
	}
	for name, want := range map[string]string{
		"profile": "acme", "theme": "light", "mouse": "false", "motion": "", "timeout": "3s", "certificates": "/tmp/certificates", "label": "Acme", "production": "true",
		"keys": "market.quote = b or ctrl+b, quit = Q", "profiles": "acme",
	} {
		if got := f.Value(config.Find(name), "acme"); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(f.Keys["market.quote"]) != 2 || f.Keys["quit"][0] != "Q" {
		t.Errorf("keys %v", f.Keys)
	}
}

func TestParseErrorNamesLineAndPermittedValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"theme = \"pink\"\n", `f:1: unknown theme "pink"; permitted: auto, dark, light, mono`},
		{"\n\ntheme = 5\n", "f:3: "},
		{"timeout = \"soon\"\n", `f:1: timeout must be a duration above 0, such as 10s`},
		{"timeout = \"-1s\"\n", `f:1: timeout must be a duration above 0`},
		{"mouse = \"yes\"\n", "f:1: "},
		{"# a comment\n\nthme = \"dark\"\n", `f:3: unknown setting "thme"; permitted: profile, theme,`},
		{"[profiles.a]\nbase_url = \"https://a.example\"\nurl = \"x\"\n", `f:3: unknown setting "url"; permitted: base_url, label, production, allow_retire`},
		{"thme = 1\n", `f:1: unknown setting "thme"; permitted: profile, theme, mouse, motion, timeout, certificates, profiles, keys`},
		{"motion = \"no\"\n", `f:1: motion is to be true or false`},
		{"[profiles.a]\nbase_url = \"https://a.example\"\nallow_retire = yes\n", `f:3: allow_retire is to be true or false`},
		{"[profiles.a]\nbase_url = \"https://a.example\"\napi_key = \"x\"\n", `f:3: "api_key" does not belong here`},
		{"[profiles.a]\nlabel = \"x\"\n", `f:1: profile "a" has no base_url`},
		{"[profiles.a]\nbase_url = \"http://a.example\"\n", "f:2: http:// is allowed only for this machine; use https://a.example"},
		{"[profiles.a]\nbase_url = \"ftp://a.example\"\n", `f:2: the address must begin with https://, not "ftp"`},
		{"[profiles.a]\nbase_url = \"https://me:secret@a.example\"\n", "f:2: the address must not contain a user name or a password"},
		{"[profiles.a]\nbase_url = \"https://a.example/?x=1\"\n", "f:2: the address must not contain a query"},
		{"[profiles.a]\nbase_url = \"nonsense\"\n", `f:2: "nonsense" is not an address`},
		{"profile = \"b\"\n[profiles.a]\nbase_url = \"https://a.example\"\n", `f:1: unknown profile "b"; permitted: a`},
		{"[keys]\nquit = 5\n", "f:2: keys are a string or a list of strings"},
		{"[keys]\nquit = [5]\n", "f:2: keys are a string or a list of strings"},
		{"theme = \n", "f:1: "},
		{"theme = \"dark\"\ntheme = \"dark\"\n", "f:2: "},
	} {
		_, err := config.Parse("f", c.text)
		var mistake *config.Error
		if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("the error has more than one line: %q", err)
		}
	}
}

func TestConfigIsReadOnlyFromSmallRegularFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := func(name string) string { return filepath.Join(w.env["HOME"], name) }
	large := w.write("large", "#"+strings.Repeat(" ", 1<<20))
	if f, err := config.Read(at("missing"), false); err != nil || f.Path() != at("missing") {
		t.Errorf("%v", err)
	}
	wrong := map[string]string{at("missing"): "no such file", w.env["HOME"]: "it is not a file", large: "it is larger than 1 MiB"}
	if os.Symlink("/dev/zero", at("zero")) == nil {
		wrong[at("zero")] = "it is not a file"
	}
	for path, want := range wrong {
		if _, err := config.Read(path, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	if err := os.Truncate(large, 1<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Read(large, true); err != nil {
		t.Error(err)
	}
}

func TestTemplateAndItsSuggestionsAreValid(t *testing.T) {
	t.Parallel()
	if _, err := config.Parse("f", config.Template()); err != nil {
		t.Error(err)
	}
	var suggested strings.Builder
	for line := range strings.Lines(config.Template()) {
		if rest, ok := strings.CutPrefix(line, "# "); ok && strings.ContainsAny(rest, "=[") {
			suggested.WriteString(rest)
		}
	}
	f, err := config.Parse("f", suggested.String())
	if err != nil {
		t.Fatalf("%v in\n%s", err, suggested.String())
	}
	for _, s := range config.Settings {
		if s.In != "" && f.Value(s, "acme") == "" {
			t.Errorf("the template does not show %s", s.Name)
		}
	}
}

func TestAddProfileKeepsExistingText(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne", "config.toml")
	f, err := config.Read(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.AddProfile("first", "https://first.example"); err != nil {
		t.Fatal(err)
	}
	if f.Value(config.Find("profile"), "") != "first" {
		t.Errorf("the first profile is not the default: %q", f.Value(config.Find("profile"), ""))
	}
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, append([]byte("# mine\n"), text...), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err = config.Read(path, true); err != nil {
		t.Fatal(err)
	}
	if err := f.AddProfile("second", "https://second.example"); err != nil {
		t.Fatal(err)
	}
	text, _ = os.ReadFile(path)
	if !strings.HasPrefix(string(text), "# mine\n") || f.Value(config.Find("profile"), "") != "first" || len(f.Names()) != 2 {
		t.Errorf("%v in\n%s", f.Names(), text)
	}
	for _, name := range []string{"first", "", "a b", "a.b", "a]b", "\"", "../x"} {
		if err := f.AddProfile(name, "https://x.example"); err == nil {
			t.Errorf("the name %q is accepted", name)
		}
	}
}

func TestOriginIsNormalised(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://market.example": "https://market.example:443", "https://MARKET.example:443/x/": "https://market.example:443",
		"http://localhost:8080": "http://localhost:8080", "http://[::1]": "http://[::1]:80", "https://market.example:8443": "https://market.example:8443",
	} {
		b, err := config.ParseBaseURL(text)
		if err != nil || b.Origin() != want {
			t.Errorf("%s: %s, %v, want %s", text, b.Origin(), err, want)
		}
	}
}

func TestParseBaseURLRejectsInvalidPort(t *testing.T) {
	t.Parallel()
	for port, valid := range map[string]bool{"": true, "1": true, "65535": true, "0": false, "65536": false, "99999": false, "18446744073709551617": false} {
		if _, err := config.ParseBaseURL("http://127.0.0.1:" + port); (err == nil) != valid {
			t.Errorf("port %q: %v", port, err)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add(completeConfig)
	f.Add(config.Template())
	f.Add("[[profiles]]\n")
	f.Add("profiles = 1\nkeys = {a.b = 1}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := config.Parse("f", text); err != nil && err.Error() == "" {
			t.Error("the error has no text")
		}
	})
}

func TestParseErrorNeverShowsKey(t *testing.T) {
	t.Parallel()
	const key = "deadbeefcafedeadbeefcafe0123"
	for _, c := range []struct{ text, want string }{
		{"api_key = deadbeefcafe\n", `f:1: "api_key" does not belong here`},
		{"theme = \"dark\"\nbase = 5ec7e75ec7\n", `f:2: a line is to be NAME = "VALUE"`},
		{"mouse = deadbeefcafe\n", "f:1: mouse is to be true or false"},
		{"mouse = \"deadbeefcafe\"\n", "f:1: mouse is to be true or false"},
		{"timeout = 99999999999999999999999\n", "f:1: timeout is to be a duration in quotes"},
		{"[profiles.a]\nbase_url = deadbeefcafe\n", "f:2: base_url is to be an address in quotes"},
		{"theme = \"\\qdeadbeefcafe\"\n", "f:1: theme is to be text in quotes"},
		{"[dead beefcafe]\n", `f:1: a line is to be NAME = "VALUE", with text in quotes, or [profiles.NAME]`},
		{"theme = \"" + key + "\"\n", "f:1: unknown theme (not shown: it looks like a key)"},
		{"timeout = \"" + key + "\"\n", "f:1: timeout must be a duration above 0"},
		{"profile = \"" + key + "\"\n", "f:1: unknown profile (not shown: it looks like a key)"},
		{"[profiles.a]\nbase_url = \"" + key + "\"\n", "f:2: (not shown: it looks like a key) is not an address"},
		{"[profiles.a]\nbase_url = \"https://u:deadbeefcafe@exa mple.com\"\n", "f:2: the address must not contain a user name or a password"},
		{key + " = 1\n", "f:1: unknown setting (not shown: it looks like a key)"},
	} {
		_, err := config.Parse("f", c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
			continue
		}
		for _, secret := range []string{"deadbeef", "beefcafe", "5ec7e75", "99999"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%q: the message shows the key: %v", c.text, err)
			}
		}
	}
}

func TestLooksLikeKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"5ec7e75ec7e75ec7e75ec7e7": true, "deadbeefcafedeadbeefcafe": true, "Zz9Zz9Zz9Zz9Zz9Zz9Zz9": true, "0123456789012345678a": true,
		"01234567890123456789": false, "1234567890123456789012345678901234567890": false,
		"00n000000000000001": false, "retirementcertificates": false, "c9bf9e57-1685-4c89-bafb-ff5af830be8a": false, "": false,
	} {
		if got := config.LooksLikeKey(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
