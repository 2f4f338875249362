package command

import (
	"cmp"
	"strings"

	"tonne/model/advice"
	"tonne/ui/cli/credentials"
)

// KeySource is where the key of a run comes from.
type KeySource struct {
	// place is a phrase, and brief a shorter one or empty. path is the file of a key, and
	// profile the profile that it is stored for.
	place, brief, path, profile string
}

// Sources of a key that is not stored.
var (
	FromEnvironment = KeySource{place: "the environment variable TONNE_API_KEY", brief: "TONNE_API_KEY"}
	FromPrompt      = KeySource{place: "the prompt"}
	FromStdin       = KeySource{place: "standard input"}
)

// StoredKey returns the source of a stored key.
func StoredKey(account credentials.Account, place credentials.Place, store *credentials.Store) KeySource {
	if place == credentials.InFile {
		return KeySource{place: "the file ", path: store.Path(), profile: account.Profile}
	}
	return KeySource{place: "the keyring", profile: account.Profile}
}

// String returns the source as a phrase.
func (k KeySource) String() string {
	text := k.place + k.path
	if k.profile != "" {
		text += ", profile " + k.profile
	}
	return text
}

// Brief returns a shorter phrase, with ~ for the directory home.
func (k KeySource) Brief(home string) string {
	if rest, below := strings.CutPrefix(k.path, home+"/"); below && home != "" {
		k.path = "~/" + rest
	}
	return cmp.Or(k.brief, k.String())
}

// advice returns what to do if the service does not accept the key.
func (k KeySource) advice() advice.Text {
	switch k {
	case FromEnvironment:
		return advice.Format("correct TONNE_API_KEY, or unset it to use a key that %s stores", login)
	case FromPrompt, FromStdin:
		return advice.Plain("run it again with another key: this one may be mistyped or inactive")
	}
	return otherKey
}
