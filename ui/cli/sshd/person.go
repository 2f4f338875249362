package sshd

import (
	"cmp"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/crypto/ssh"
)

// Person is a line of an authorized_keys file: a key and the person it admits.
type Person struct {
	// Line is the number of the line, from 1.
	Line int
	// Name is the name that others see: the value of person="…", or else Key.
	Name string
	// Key is the comment of the line, or else the fingerprint, printable characters only.
	Key string
	// ID identifies the person and is valid as part of a file name.
	ID string
	// Fingerprint is the SHA-256 fingerprint of the key, as ssh-keygen -l prints it.
	Fingerprint string
	// Profile is the value of profile="…". Empty means the default profile.
	Profile string
	// ReadOnly reports that nothing is saved for the person.
	ReadOnly bool
	// CommandsOnly reports that the person may run commands but has no dashboard.
	CommandsOnly bool
	// Expires is when the key expires, or zero if it does not.
	Expires time.Time
}

func (p Person) expired(now time.Time) bool { return !p.Expires.IsZero() && !now.Before(p.Expires) }

func (p Person) expiry() error {
	return fmt.Errorf("the key has expired on %s", p.Expires.Format("2006-01-02 15:04 MST"))
}

func parsePerson(line string) (Person, error) {
	key, comment, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return Person{}, errors.New("not a public key in the format [OPTIONS] TYPE KEY [COMMENT]")
	}
	if err := checkKey(key); err != nil {
		return Person{}, err
	}
	sum := sha256.Sum256(key.Marshal())
	p := Person{Fingerprint: ssh.FingerprintSHA256(key), ID: "key-" + hex.EncodeToString(sum[:])}
	p.Key = cmp.Or(Printable(comment), p.Fingerprint)
	p.Name = p.Key
	seen := make(map[string]bool)
	for _, option := range options {
		name, _, _ := strings.Cut(option, "=")
		if name = strings.ToLower(name); seen[name] {
			return p, fmt.Errorf("duplicate option %s", Printable(name))
		}
		seen[name] = true
		if err := p.set(option); err != nil {
			return p, err
		}
	}
	return p, nil
}

const minRSABits = 2048

func checkKey(key ssh.PublicKey) error {
	if _, certificate := key.(*ssh.Certificate); certificate {
		return errors.New("certificates are not accepted, only plain keys")
	}
	if c, ok := key.(ssh.CryptoPublicKey); ok {
		if r, ok := c.CryptoPublicKey().(*rsa.PublicKey); ok && r.N.BitLen() < minRSABits {
			return fmt.Errorf("the RSA key has %d bits, need at least %d", r.N.BitLen(), minRSABits)
		}
	}
	return nil
}

// personName is strict because the name becomes part of a file name.
var personName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`) })

func (p *Person) set(option string) (err error) {
	name, quoted, valued := strings.Cut(option, "=")
	value := strings.TrimSuffix(strings.TrimPrefix(quoted, `"`), `"`)
	form := strings.ToLower(name)
	if valued {
		form += "="
	}
	switch {
	case form == "restrict", form == "no-port-forwarding", form == "no-agent-forwarding", form == "no-x11-forwarding",
		form == "no-user-rc":
	case form == "no-pty":
		p.CommandsOnly = true
	case form == "read-only":
		p.ReadOnly = true
	case form == "profile=" && value != "":
		p.Profile = value
	case form == "person=" && !personName().MatchString(value):
		return errors.New("invalid person: use lower-case letters, digits and ._-, such as person=\"ada\"")
	case form == "person=":
		p.Name, p.ID = value, "person-"+value
	case form == "expiry-time=":
		if p.Expires, err = ParseTime(value); err != nil {
			return fmt.Errorf("expiry-time %w", err)
		}
	default:
		return fmt.Errorf(`unknown option %s; `+
			`use restrict, no-…, profile="NAME", person="NAME", read-only or expiry-time="YYYYMMDD"`,
			Printable(strings.ToLower(name)))
	}
	return nil
}

// ParseTime parses a time of OpenSSH's authorized_keys and allowed_signers files. It is
// in the local time zone, or in UTC if it ends with Z.
func ParseTime(value string) (time.Time, error) {
	zone, digits := time.Local, value
	if rest, utc := strings.CutSuffix(value, "Z"); utc {
		zone, digits = time.UTC, rest
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if at, err := time.ParseInLocation(layout, digits, zone); err == nil && len(digits) == len(layout) {
			return at, nil
		}
	}
	return time.Time{}, errors.New("must be YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, followed by Z for UTC")
}

// Printable returns the printable characters of a text, at most 64.
func Printable(text string) string { return printable(text, 64) }

func printable(text string, most int) string {
	shown := strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	letters := []rune(strings.TrimSpace(shown))
	return string(letters[:min(len(letters), most)])
}
