package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	must "tonne/model/musttest"
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
	f := must.Get(config.Parse("config.toml", completeConfig))
	p, ok := f.Lookup("acme")
	must.Hold(t,
		ok && p.BaseURL == "https://market.example/api" && p.Label == "Acme" && p.Production &&
			len(f.Keys["market.quote"]) == 2,
		"profile", p, "keys", f.Keys)
	for name, want := range map[string]string{
		"profile": "acme", "theme": "light", "mouse": "false", "motion": "", "timeout": "3s",
		"certificates": "/tmp/certificates",
		"label":        "Acme", "production": "true", "keys": "market.quote = b or ctrl+b, quit = Q", "profiles": "acme",
	} {
		must.Equal(t, f.Value(config.Find(name), "acme"), want, name, "is")
	}
}

func TestParseErrorNamesLineAndPermittedValuesButNoKey(t *testing.T) {
	t.Parallel()
	const (
		key     = "deadbeefcafedeadbeefcafe0123"
		profile = "[profiles.a]\nbase_url = "
		sound   = profile + "\"https://a.example\"\n"
	)
	for text, want := range map[string]string{
		"theme = \"pink\"\n": `f:1: unknown theme "pink"; permitted: auto, dark, light, mono`, "\n\ntheme = 5\n": "f:3: ",
		"timeout = \"soon\"\n":                           "f:1: timeout must be a duration above 0, such as 10s",
		"timeout = \"-1s\"\n":                            "f:1: timeout must be a duration above 0",
		"# a comment\n\nthme = \"dark\"\n":               `f:3: unknown setting "thme"; permitted: profile, theme,`,
		sound + "url = \"x\"\n":                          `f:3: unknown setting "url"; permitted: base_url, label, production, allow_retire`,
		"thme = 1\n":                                     `f:1: unknown setting "thme"; permitted: profile, theme, mouse, motion, timeout, certificates, record_orders, execution_like, profiles, keys`,
		"motion = \"no\"\n":                              "f:1: motion is to be true or false",
		sound + "allow_retire = yes\n":                   "f:3: allow_retire is to be true or false",
		sound + "api_key = \"x\"\n":                      `f:3: "api_key" does not belong here`,
		"[profiles.a]\nlabel = \"x\"\n":                  `f:1: profile "a" has no base_url`,
		profile + "\"http://a.example\"\n":               "f:2: http:// is allowed only for this machine; use https://a.example",
		profile + "\"ftp://a.example\"\n":                `f:2: the address must begin with https://, not "ftp"`,
		profile + "\"https://me:secret@a.example\"\n":    "f:2: the address must not contain a user name or a password",
		profile + "\"https://a.example/?x=1\"\n":         "f:2: the address must not contain a query",
		profile + "\"nonsense\"\n":                       `f:2: "nonsense" is not an address`,
		"profile = \"b\"\n" + sound:                      `f:1: unknown profile "b"; permitted: a`,
		"[keys]\nquit = 5\n":                             "f:2: keys are a string or a list of strings",
		"[keys]\nquit = [5]\n":                           "f:2: keys are a string or a list of strings",
		"theme = \n":                                     "f:1: ",
		"theme = \"dark\"\ntheme = \"dark\"\n":           "f:2: ",
		"api_key = deadbeefcafe\n":                       `f:1: "api_key" does not belong here`,
		"theme = \"dark\"\nbase = deadbeefca\n":          `f:2: a line is to be NAME = "VALUE"`,
		"mouse = \"deadbeefcafe\"\n":                     "f:1: mouse is to be true or false",
		"timeout = 99999999999999999999999\n":            "f:1: timeout is to be a duration in quotes",
		profile + "deadbeefcafe\n":                       "f:2: base_url is to be an address in quotes",
		"theme = \"\\qdeadbeefcafe\"\n":                  "f:1: theme is to be text in quotes",
		"[accounts]\ncredit = \"a\"\n":                   `f:2: unknown setting "credit"; permitted: credits, payable, expense, expense_at`,
		"[accounts]\ncredits = \"a;b\"\n":                `f:2: "a;b" is not the name of an account`,
		"[accounts]\nexpense_at = \"later\"\n":           `f:2: unknown moment "later"; permitted: retirement, purchase`,
		"accounts = 5\n":                                 `f:1: unknown setting "accounts"`,
		"[dead beefcafe]\n":                              `f:1: a line is to be NAME = "VALUE", with text in quotes, or [profiles.NAME]`,
		"theme = \"" + key + "\"\n":                      "f:1: unknown theme (not shown: it looks like a key)",
		"timeout = \"" + key + "\"\n":                    "f:1: timeout must be a duration above 0",
		"profile = \"" + key + "\"\n":                    "f:1: unknown profile (not shown: it looks like a key)",
		profile + "\"" + key + "\"\n":                    "f:2: (not shown: it looks like a key) is not an address",
		profile + "\"https://u:deadbeefcafe@exa m.c\"\n": "f:2: the address must not contain a user name or a password",
		key + " = 1\n":                                   "f:1: unknown setting (not shown: it looks like a key)",
		"\n" + strings.Repeat("a.", 200_000) + "a = 1\n": "f:2: the line is longer than 4096 bytes",
		strings.Repeat("a.", 20) + "a = 1\n":             "f:1: the key has too many dots",
		"[" + strings.Repeat("a.", 20) + "a]\n":          "f:1: the key has too many dots",
		"a = " + strings.Repeat("[\n", 100_000):          "f:9: too many brackets are open",
		"a = [\n" + strings.Repeat("{a = [\n", 100_000):  "f:5: too many brackets are open",
	} {
		_, err := config.Parse("f", text)
		var mistake *config.Error
		if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
			continue
		}
		for _, secret := range []string{"deadbeef", "beefcafe", "secret", "99999"} {
			must.Hold(t, !strings.Contains(err.Error(), secret), text, "the message shows the key", err)
		}
	}
	for text, want := range map[string]bool{
		testKey: true, key: true, "Zz9Zz9Zz9Zz9Zz9Zz9Zz9": true, "0123456789012345678a": true, "01234567890123456789": false,
		"00n000000000000001":     false,
		"retirementcertificates": false, "c9bf9e57-1685-4c89-bafb-ff5af830be8a": false,
		"1234567890123456789012345678901234567890": false, "": false,
	} {
		must.Equal(t, config.LooksLikeKey(text), want, text, "looks like a key")
	}
}

func TestConfigIsReadOnlyFromSmallRegularFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	at := func(name string) string { return filepath.Join(w.env["HOME"], name) }
	large := w.write("large", strings.Repeat("#\n", 1<<19)+"#")
	f, err := config.Read(at("missing"), false)
	must.Hold(t, err == nil && f.Path() == at("missing"), err)
	wrong := map[string]string{at("missing"): "no such file", w.env["HOME"]: "it is not a file",
		large: "it is larger than 1 MiB"}
	if os.Symlink("/dev/zero", at("zero")) == nil {
		wrong[at("zero")] = "it is not a file"
	}
	for path, want := range wrong {
		_, err := config.Read(path, true)
		must.Hold(t, err != nil && strings.Contains(err.Error(), want), path, err, "want", want)
	}
	must.Succeed(t, os.Truncate(large, 1<<20))
	must.Fail(t, must.Err(config.Read(large, true)), nil)
}

func TestTemplateAndItsSuggestionsAreValid(t *testing.T) {
	t.Parallel()
	must.Fail(t, must.Err(config.Parse("f", config.Template())), nil)
	var suggested strings.Builder
	for line := range strings.Lines(config.Template()) {
		if rest, ok := strings.CutPrefix(line, "# "); ok && strings.ContainsAny(rest, "=[") {
			suggested.WriteString(rest)
		}
	}
	f, err := config.Parse("f", suggested.String())
	must.Need(t, err == nil, err, "in", suggested.String())
	for _, s := range config.Settings {
		must.Hold(t, s.In == "" || f.Value(s, "acme") != "", "the template does not show", s.Name)
	}
}

func TestAddProfileKeepsExistingText(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne", "config.toml")
	add := func(name string) (*config.File, error) {
		f := must.Get(config.Read(path, false))
		return f, f.AddProfile(name, config.BaseURL("https://"+name+".example"))
	}
	if f, err := add("first"); err != nil || f.Value(config.Find("profile"), "") != "first" {
		t.Errorf("%v; the first profile is not the default", err)
	}
	must.Succeed(t, os.WriteFile(path, append([]byte("# mine\n"), must.Get(os.ReadFile(path))...), 0o600))
	f, err := add("second")
	text := string(must.Get(os.ReadFile(path)))
	must.Hold(t,
		err == nil && strings.HasPrefix(text, "# mine\n") && f.Value(config.Find("profile"), "") == "first" &&
			len(f.Names()) == 2,
		err, f.Names(), "in", text)
	for _, name := range []string{"first", "", "a b", "a.b", "a]b", "\"", "../x"} {
		must.Hold(t, f.AddProfile(name, "https://x.example") != nil, "the name", name, "is accepted")
	}
}

func TestOriginIsNormalised(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://market.example": "https://market.example:443", "https://MARKET.example:443/x/": "https://market.example:443",
		"http://localhost:8080": "http://localhost:8080", "http://localhost:08080": "http://localhost:8080",
		"http://[::1]":                "http://[::1]:80",
		"https://market.example:8443": "https://market.example:8443", "http://127.0.0.1:": "http://127.0.0.1:80",
		"http://127.0.0.1:65535": "http://127.0.0.1:65535",
		"http://127.0.0.1:0":     "", "http://127.0.0.1:65536": "", "http://127.0.0.1:18446744073709551617": "",
	} {
		b, err := config.ParseBaseURL(text)
		must.Hold(t, (err == nil) == (want != "") && (want == "" || b.Origin() == want), text, err, "want", want)
	}
	for a, b := range map[string]string{"https://m.example/a": "https://m.example/A",
		"https://m.example/b": "https://m.example"} {
		must.Hold(t,
			!must.Get(config.ParseBaseURL(a)).Same(must.Get(config.ParseBaseURL(b))) &&
				must.Get(config.ParseBaseURL(a)).Same(must.Get(config.ParseBaseURL(a+"/"))),
			a, "and", b)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add(completeConfig)
	f.Add(config.Template())
	f.Add("[[profiles]]\n")
	f.Add("profiles = 1\nkeys = {a.b = 1}\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := config.Parse("f", text)
		must.Hold(t, err == nil || err.Error() != "", "the error has no text")
	})
}
