package marketplace

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// inMemory is the address of a database in memory.
const inMemory = ":memory:"

// AddressError is returned for the address of a database that is neither a path nor a valid
// address of a PostgreSQL server.
type AddressError struct {
	// Shown is the address without its password, or only its beginning.
	Shown string
	// Form is the form to use.
	Form string
}

// What names the address.
func (e *AddressError) What() string { return e.Shown + " is not the address of a database" }

// Error names the address and the form to use.
func (e *AddressError) Error() string { return e.What() + ": give " + e.Form }

// Forms of an address, for messages.
const (
	serverForm = "postgres://HOST:PORT/DATABASE"
	pathForm   = "a path such as ./market.db"
	eitherForm = "a path (./NAME for a file of that name), or " + serverForm
)

// OnServer reports whether an address names a database server instead of a file.
func OnServer(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// schemePattern matches the scheme or the host of an address. A letter before :/ is a Windows drive.
var schemePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9+.-]+:|:($|[^/\\\\]))`)
})

// loginPattern matches a user and a password in front of a host.
var loginPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^//.*@|:[^/]*@`) })

// CheckAddress returns an *AddressError unless an address is the path of a file, or begins
// with postgres:// or postgresql://. What looks like another address is never taken for the
// name of a file, because a password could be in it. Any name is one after ./.
func CheckAddress(address string) error {
	first, _, _ := strings.Cut(filepath.ToSlash(address), "/")
	scheme := schemeOf(strings.TrimSpace(address))
	kind := strings.ToLower(scheme)
	switch {
	case OnServer(address):
		return checkServer(address)
	case strings.HasPrefix(address, "//") && loginPattern().MatchString(address):
		return &AddressError{"//…" + hostOf(address), serverForm}
	case first == "" || first == "." || first == "..":
		return nil
	case strings.HasPrefix(kind, "postgres"), strings.HasPrefix(kind, "jdbc:"):
		return &AddressError{scheme + "…", serverForm}
	case strings.HasPrefix(kind, "sqlite"), kind == "file:":
		return &AddressError{scheme + "…", pathForm}
	case strings.HasPrefix(address, ":"):
		return &AddressError{address, pathForm + "; `tonne demo` keeps its database in memory"}
	case strings.Contains(first, "="):
		return &AddressError{names(address), serverForm + ", or ./NAME for a file of that name"}
	case scheme != "":
		return &AddressError{scheme + "…", eitherForm}
	case strings.Contains(first, "@"), loginPattern().MatchString(address):
		return &AddressError{"…" + hostOf(address), eitherForm}
	case strings.HasPrefix(first, "~"), strings.HasPrefix(first, "$"), first == "-":
		return &AddressError{address,
			"the whole path (a shell replaces ~ and $NAME only at some places), or ./NAME for a file of that name"}
	}
	return nil
}

// schemeOf returns the scheme of an address with its colon, or "".
func schemeOf(address string) string {
	if !schemePattern().MatchString(address) {
		return ""
	}
	return address[:strings.Index(address, ":")+1]
}

// hostOf returns the host of an address that has an @, from its last @ on.
func hostOf(address string) string {
	host := address[strings.LastIndex(address, "@"):]
	if end := strings.IndexAny(host, "/?"); end >= 0 {
		return host[:end]
	}
	return host
}

// checkServer parses an address without its user and password, which are never repeated.
func checkServer(address string) error {
	shown := MaskAddress(address)
	u, err := url.Parse(shown)
	switch {
	case err != nil:
		return &AddressError{shown, serverForm}
	case u.Host == "" && u.Query().Get("host") == "":
		return &AddressError{shown, serverForm + "; HOST is missing"}
	}
	user, _, _ := cutUser(address)
	if _, err := url.Parse(address); err != nil || strings.Contains(user, "@") {
		return &AddressError{shown, serverForm + ", and special characters of the password as %XX, such as %40 for @"}
	}
	return nil
}

// names returns the names of key=value pairs, without the values.
func names(pairs string) string {
	var shown []string
	for _, pair := range strings.Fields(pairs) {
		if name, _, ok := strings.Cut(pair, "="); ok {
			shown = append(shown, name+"=…")
		}
	}
	return strings.Join(shown, " ")
}

// MaskAddress returns an address for messages: passwords are replaced, and the user information
// up to the last @ before it is parsed. A path is returned unchanged.
func MaskAddress(address string) string {
	if !OnServer(address) {
		return address
	}
	scheme, rest, _ := strings.Cut(address, "://")
	if login, behind, found := cutUser(address); found {
		user, _, password := strings.Cut(login, ":")
		switch {
		case strings.ContainsAny(user, "@/?"):
			user = "xxxxx"
		case password:
			user += ":xxxxx"
		}
		rest = user + "@" + behind
	}
	before, query, found := strings.Cut(rest, "?")
	if !found {
		return scheme + "://" + rest
	}
	parameters := strings.Split(query, "&")
	for i, parameter := range parameters {
		if name, _, ok := strings.Cut(parameter, "="); ok && strings.Contains(strings.ToLower(name), "pass") {
			parameters[i] = name + "=xxxxx"
		}
	}
	return scheme + "://" + before + "?" + strings.Join(parameters, "&")
}

// cutUser cuts an address of a server at its last @, without the scheme.
func cutUser(address string) (user, behind string, found bool) {
	_, rest, _ := strings.Cut(address, "://")
	at := strings.LastIndex(rest, "@")
	if at < 0 {
		return "", rest, false
	}
	return rest[:at], rest[at+1:], true
}
