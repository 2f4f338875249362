package credentials

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	must "tonne/model/musttest"
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
	must.Need(t, err == nil && place == InKeyring, place, err)
	text, err := os.ReadFile(s.Path())
	must.Hold(t, err == nil && !strings.Contains(string(text), "secret"), err, text)
	key, place, err := keyOf(s, "", base)
	must.Hold(t, key == "secret" && place == InKeyring && err == nil, key, place, err)
	for _, left := range []string{"in the keyring", "only in the file"} {
		err := s.Forget("", base)
		must.Hold(t, err == nil && len(ring) == 0, "an account", left, err, len(ring), "secrets")
		_, _, err = keyOf(s, "", base)
		must.Fail(t, err, ErrNone)
		must.Fail(t, s.Forget("", base), ErrNone)
		_, _ = s.Save("", base, "secret")
		clear(ring)
		_, _, err = keyOf(s, "", base)
		must.Hold(t, err != nil && !errors.Is(err, ErrNone), err)
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
			must.Succeed(t, must.Err(s.Save(a.profile, a.base, "old")))
			must.Succeed(t, must.Err(s.Save(a.profile, a.base, key)))
		}
		for want, a := range keys {
			key, _, err := keyOf(s, a.profile, a.base+"/path")
			must.Hold(t, key == want && err == nil, a, key, err)
		}
		must.Succeed(t, must.Err(s.Save("acme", base, "2")))
		// The last saved is the first.
		accounts, err := s.Accounts()
		must.Hold(t, len(accounts) == len(keys) && err == nil && accounts[0].Profile == "acme", accounts, err)
	}
}

func TestDamagedFileReturnsErrorWithoutSecret(t *testing.T) {
	t.Parallel()
	s := Open(filepath.Join(t.TempDir(), "keys"), nil)
	must.Succeed(t, must.Err(s.Save("", base, "secret")))
	must.Succeed(t, os.WriteFile(s.Path(), []byte(`{"accounts": secret`), 0o600))
	_, _, err := keyOf(s, "", base)
	must.Hold(t, err != nil && !strings.Contains(err.Error(), "secret"), err)
}
