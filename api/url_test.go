package api_test

import (
	"testing"

	"tonne/api"
	"tonne/api/wire"
)

func TestOnlySafeAddressesMayBeOpened(t *testing.T) {
	t.Parallel()
	for raw, safe := range map[string]bool{
		"https://registry.example/project/1?x=1#y":  true,
		"http://127.0.0.1:8080/c.pdf":               true,
		"http://localhost/c.pdf":                    true,
		"http://[::1]/c.pdf":                        true,
		"HTTPS://registry.example":                  true,
		"http://registry.example/c.pdf":             false,
		"http://localhost.example/":                 false,
		"javascript:alert(1)":                       false,
		"file:///etc/passwd":                        false,
		"file://localhost/etc/passwd":               false,
		"-x":                                        false,
		"--help":                                    false,
		"/etc/passwd":                               false,
		"//registry.example/":                       false,
		"https://registry.example@evil.example/":    false,
		"https://user:pass@registry.example/":       false,
		"https://registry.example/\x1b]0;x":         false,
		"https://registry.example/\u009b":           false,
		"https://registry.example/a b":              false,
		"https://registry.example/\n":               false,
		"https://\u202eevil.example":                false,
		"https://evil.example/\u034f\U000E0041":     false,
		"https://evil.example/\ufffd":               false,
		wire.Clean("https://\u202eevil.example"):    false,
		wire.Clean("https://evil.example/\u2066x"):  false,
		wire.Clean("https://evil.example/\x1b]0;x"): false,
		"https://森.example/森":                       true,
		"https://":                                  false,
		"https:///path":                             false,
		"https:registry.example":                    false,
		"ssh://registry.example":                    false,
		"data:text/html,x":                          false,
		"https://registry.example:port/":            false,
		"":                                          false,
	} {
		u, err := api.CheckURL(raw)
		if (err == nil) != safe || (u != nil) != safe {
			t.Errorf("%q: %v (%v)", raw, u, err)
		}
		if err != nil && api.KindOf(err) != api.Refused {
			t.Errorf("%q: error is %v", raw, err)
		}
	}
}
