package credentials

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"tonne/ui/cli/config"
)

const base = config.BaseURL("https://market.example")

// fakeKeyring is a keyring in memory.
type fakeKeyring map[string]string

func (m fakeKeyring) Set(service, user, secret string) error {
	m[service+"|"+user] = secret
	return nil
}

func (m fakeKeyring) Get(service, user string) (string, error) {
	secret, ok := m[service+"|"+user]
	if !ok {
		return "", keyring.ErrNotFound
	}
	return secret, nil
}

func (m fakeKeyring) Delete(service, user string) error {
	if _, ok := m[service+"|"+user]; !ok {
		return keyring.ErrNotFound
	}
	delete(m, service+"|"+user)
	return nil
}

func TestKeyInKeyringIsNotWrittenToFile(t *testing.T) {
	t.Parallel()
	ring := make(fakeKeyring)
	s := Open(filepath.Join(t.TempDir(), "keys"), ring)
	place, err := s.Save("", base, "secret")
	if err != nil || place != InKeyring {
		t.Fatalf("%s, %v", place, err)
	}
	if text, err := os.ReadFile(s.Path()); err != nil || strings.Contains(string(text), "secret") {
		t.Errorf("%v: %s", err, text)
	}
	if key, place, err := keyOf(s, "", base); key != "secret" || place != InKeyring || err != nil {
		t.Errorf("%q, %s, %v", key, place, err)
	}
	for _, left := range []string{"in the keyring", "only in the file"} {
		if err := s.Forget("", base); err != nil || len(ring) != 0 {
			t.Errorf("an account %s: %v, %d secrets", left, err, len(ring))
		}
		if _, _, err := keyOf(s, "", base); !errors.Is(err, ErrNone) {
			t.Errorf("%v", err)
		}
		if err := s.Forget("", base); !errors.Is(err, ErrNone) {
			t.Errorf("%v", err)
		}
		_, _ = s.Save("", base, "secret")
		clear(ring)
		if _, _, err := keyOf(s, "", base); err == nil || errors.Is(err, ErrNone) {
			t.Errorf("%v", err)
		}
	}
}

// keyOf returns the key that a profile uses at a base URL.
func keyOf(s *Store, profile string, base config.BaseURL) (string, Place, error) {
	a, err := s.InUse(profile, base)
	if err != nil {
		return "", "", err
	}
	return s.Key(a)
}

func TestAccountsAreSeparatedByOriginAndProfile(t *testing.T) {
	t.Parallel()
	for _, ring := range []Keyring{nil, make(fakeKeyring)} {
		s := Open(filepath.Join(t.TempDir(), "keys"), ring)
		keys := map[string]struct {
			profile string
			base    config.BaseURL
		}{"1": {"", base}, "2": {"acme", base}, "3": {"", "https://market.example:8443"}, "4": {"", "http://localhost"}}
		for key, a := range keys {
			if _, err := s.Save(a.profile, a.base, "old"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Save(a.profile, a.base, key); err != nil {
				t.Fatal(err)
			}
		}
		for want, a := range keys {
			if key, _, err := keyOf(s, a.profile, a.base+"/path"); key != want || err != nil {
				t.Errorf("%v: %q, %v", a, key, err)
			}
		}
		if _, err := s.Save("acme", base, "2"); err != nil {
			t.Fatal(err)
		}
		// The last saved is the first.
		if accounts, err := s.Accounts(); len(accounts) != len(keys) || err != nil || accounts[0].Profile != "acme" {
			t.Errorf("%v, %v", accounts, err)
		}
	}
}

func TestDamagedFileReturnsErrorWithoutSecret(t *testing.T) {
	t.Parallel()
	s := Open(filepath.Join(t.TempDir(), "keys"), nil)
	if _, err := s.Save("", base, "secret"); err != nil {
		t.Fatal(err)
	}
	must(t, os.WriteFile(s.Path(), []byte(`{"accounts": secret`), 0o600))
	if _, _, err := keyOf(s, "", base); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v", err)
	}
}
