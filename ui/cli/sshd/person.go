// Package sshd is an SSH server that is closed but for one thing: a session,
// with a terminal or a command, for a key that stands in a file. There is no
// shell, no forwarding, no subsystem and no password.
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

// Person is who a line of an authorized_keys file lets in, and as what.
type Person struct {
	// Name is who others see: what the line says with person="…", or else Key.
	Name string
	// Key is the comment of the line, or the fingerprint where there is none,
	// without what is not printed. It tells the keys of one person apart.
	Key string
	// ID names the person for good, in letters that a file may be called by: what
	// the line says with person="…", or else its key.
	ID string
	// Fingerprint is the key's, as ssh-keygen -l prints it.
	Fingerprint string
	// Profile is what the line says with profile="…"; empty is the usual one.
	Profile string
	// ReadOnly says that the person changes nothing that lasts.
	ReadOnly bool
	// CommandsAlone says that the person gets nothing but commands, at a terminal
	// or without one.
	CommandsAlone bool
	// Expires is when the key is good no more; zero for never.
	Expires time.Time
}

func (p Person) expired(now time.Time) bool { return !p.Expires.IsZero() && !now.Before(p.Expires) }

func (p Person) expiry() error {
	return fmt.Errorf("the key has expired on %s", p.Expires.Format("2006-01-02 15:04 MST"))
}

// shortestRSA is the shortest RSA key that is taken, in bits.
const shortestRSA = 2048

func parsePerson(line string) (key ssh.PublicKey, p Person, err error) {
	key, comment, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return nil, p, errors.New("it is no public key, with options before and a comment behind it")
	}
	if err := strong(key); err != nil {
		return nil, p, err
	}
	p.Fingerprint = ssh.FingerprintSHA256(key)
	p.Key = cmp.Or(Printable(comment), p.Fingerprint)
	p.Name = p.Key
	sum := sha256.Sum256(key.Marshal())
	p.ID = "key-" + hex.EncodeToString(sum[:])
	said := make(map[string]bool)
	for _, option := range options {
		name, _, _ := strings.Cut(option, "=")
		if name = strings.ToLower(name); said[name] {
			return nil, p, fmt.Errorf("it says %s twice", Printable(name))
		}
		said[name] = true
		if err := p.set(option); err != nil {
			return nil, p, err
		}
	}
	return key, p, nil
}

func strong(key ssh.PublicKey) error {
	if _, certificate := key.(*ssh.Certificate); certificate {
		return errors.New("it is a certificate, and keys alone are taken")
	}
	c, ok := key.(ssh.CryptoPublicKey)
	if !ok {
		return nil
	}
	if r, ok := c.CryptoPublicKey().(*rsa.PublicKey); ok && r.N.BitLen() < shortestRSA {
		return fmt.Errorf("it is an RSA key of %d bits, and %d are needed", r.N.BitLen(), shortestRSA)
	}
	return nil
}

// personName finds the name of a person, which may be called like a file.
var personName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`) })

func (p *Person) set(option string) (err error) {
	name, quoted, valued := strings.Cut(option, "=")
	value := strings.TrimSuffix(strings.TrimPrefix(quoted, `"`), `"`)
	switch name = strings.ToLower(name); {
	case !valued && (name == "restrict" || name == "no-port-forwarding" || name == "no-agent-forwarding" || name == "no-x11-forwarding" || name == "no-user-rc"):
		return nil
	case !valued && name == "no-pty":
		p.CommandsAlone = true
		return nil
	case !valued && name == "read-only":
		p.ReadOnly = true
		return nil
	case valued && name == "profile" && value != "":
		p.Profile = value
		return nil
	case valued && name == "person":
		if !personName().MatchString(value) {
			return errors.New("person must be of small letters, digits and ._-, such as person=\"ada\"")
		}
		p.Name, p.ID = value, "person-"+value
		return nil
	case valued && name == "expiry-time":
		if p.Expires, err = ParseTime(value); err != nil {
			return fmt.Errorf("expiry-time %w", err)
		}
		return nil
	}
	return fmt.Errorf("it has the option %s, which is not known; known are restrict, no-pty and its like, profile=\"NAME\", person=\"NAME\", read-only and expiry-time=\"YYYYMMDD\"", Printable(name))
}

// ParseTime reads a time as OpenSSH writes it in authorized_keys and
// allowed_signers: in the zone of this machine, or in UTC with a Z at its end. The
// error does not name the option.
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
	return time.Time{}, errors.New("must be YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with a Z behind it for UTC")
}

// longestName is how many characters of what somebody else wrote are shown.
const longestName = 64

// Printable returns text that somebody else wrote without what is not printed,
// and no longer than 64 characters.
func Printable(text string) string { return printable(text, longestName) }

func printable(text string, most int) string {
	shown := strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	letters := []rune(strings.TrimSpace(shown))
	return string(letters[:min(len(letters), most)])
}
