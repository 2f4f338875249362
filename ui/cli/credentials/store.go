// Package credentials stores API keys: in the keyring of the system or, if there is none,
// in a file that only its owner can read. A key is bound to the origin for which it was
// stored. The package does not check whether a key is valid. Start reading at Store.
package credentials

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/zalando/go-keyring"

	"tonne/ui/cli/config"
)

// ErrNone is returned if no key is stored for an account.
var ErrNone = errors.New("no key is stored")

// Place is the place where a key is stored.
type Place string

// The places.
const (
	InKeyring Place = "keyring"
	InFile    Place = "file"
)

// Account is a stored key of a marketplace, or of one profile on it.
type Account struct {
	BaseURL config.BaseURL `json:"base_url"`
	Profile string         `json:"profile,omitempty"`
	Place   Place          `json:"place"`
	// Key is set only in the file, and only if Place is the file.
	Key string `json:"key,omitempty"`
}

func (a Account) is(profile string, base config.BaseURL) bool {
	return a.Profile == profile && a.BaseURL.Origin() == base.Origin()
}

func user(profile string, base config.BaseURL) string {
	if profile == "" {
		return base.Origin()
	}
	return profile + " at " + base.Origin()
}

// Store keeps accounts in a directory, and their keys in the keyring if there is one.
type Store struct {
	dir  string
	ring Keyring
	// uid is the owner of the files.
	uid int
}

// Open returns the store in a directory. A nil ring keeps keys in the file.
func Open(dir string, ring Keyring) *Store { return &Store{dir, ring, os.Geteuid()} }

// Save stores the key of an account, as the first account. It returns where the key is stored.
func (s *Store) Save(profile string, base config.BaseURL, key string) (Place, error) {
	accounts, err := s.Accounts()
	if err != nil {
		return "", err
	}
	a := Account{BaseURL: base, Profile: profile, Place: InKeyring}
	if s.ring == nil || withinLimit(func() error { return s.ring.Set(service, user(profile, base), key) }) != nil {
		a.Place, a.Key = InFile, key
	}
	accounts = slices.DeleteFunc(accounts, func(b Account) bool { return b.is(profile, base) })
	return a.Place, s.write(append([]Account{a}, accounts...))
}

// InUse returns the account of a profile at an address, or of the address alone, or ErrNone.
func (s *Store) InUse(profile string, base config.BaseURL) (Account, error) {
	accounts, err := s.Accounts()
	if err != nil {
		return Account{}, err
	}
	for _, name := range []string{profile, ""} {
		if i := slices.IndexFunc(accounts, func(a Account) bool { return a.is(name, base) }); i >= 0 {
			return accounts[i], nil
		}
	}
	return Account{}, ErrNone
}

// Key returns the key of an account and its place.
func (s *Store) Key(a Account) (string, Place, error) {
	switch {
	case a.Place == InFile:
		return a.Key, InFile, nil
	case s.ring == nil:
		return "", InKeyring, errors.New("the key is in the keyring, but this machine has no keyring")
	}
	key := make(chan string, 1)
	err := withinLimit(func() error {
		got, err := s.ring.Get(service, user(a.Profile, a.BaseURL))
		key <- got
		return err
	})
	if err != nil {
		return "", InKeyring, fmt.Errorf("cannot read the key from the keyring: %w", err)
	}
	return <-key, InKeyring, nil
}

// Forget removes the key of an account. The error is ErrNone if there is none.
func (s *Store) Forget(profile string, base config.BaseURL) error {
	accounts, err := s.Accounts()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(accounts, func(a Account) bool { return a.is(profile, base) })
	if i < 0 {
		return ErrNone
	}
	if accounts[i].Place == InKeyring && s.ring != nil {
		err = withinLimit(func() error { return s.ring.Delete(service, user(profile, base)) })
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return fmt.Errorf("cannot remove the key from the keyring: %w", err)
		}
	}
	return s.write(slices.Delete(accounts, i, i+1))
}

// Keyring is the interface of a system keyring.
type Keyring interface {
	Set(service, user, secret string) error
	Get(service, user string) (string, error)
	Delete(service, user string) error
}

const service = "tonne"

// Limit is the timeout of a keyring. A locked one waits for the user.
const Limit = 3 * time.Second

// System is the keyring of the system.
type System struct{}

// Set stores a secret.
func (System) Set(service, user, secret string) error { return keyring.Set(service, user, secret) }

// Get returns a secret.
func (System) Get(service, user string) (string, error) { return keyring.Get(service, user) }

// Delete removes a secret.
func (System) Delete(service, user string) error { return keyring.Delete(service, user) }

func withinLimit(call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	timer := time.NewTimer(Limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return fmt.Errorf("no answer within %s", Limit)
	}
}
