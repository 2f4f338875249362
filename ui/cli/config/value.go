package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// Themes are the permitted themes.
var Themes = []string{"auto", "dark", "light", "mono"}

// BaseURL is the address of a marketplace, without a slash at the end.
type BaseURL string

// ParseBaseURL reads the address of a marketplace: https with a host, or http
// to this machine. A key must never travel in the clear.
func ParseBaseURL(s string) (BaseURL, error) {
	s = strings.TrimRight(strings.TrimSpace(s), "/")
	u, err := url.Parse(s)
	unusable := err != nil || u.Host == "" || u.Hostname() == ""
	switch {
	case unusable && strings.Contains(s, "@") || !unusable && u.User != nil:
		// The text before an @ may be a password, even if the rest is
		// not an address, so the message does not repeat it.
		return "", errors.New("the address must not contain a user name or a password")
	case unusable:
		return "", fmt.Errorf("%s is not an address such as https://market.example", shown(s))
	case !isPort(u.Port()):
		return "", errors.New("the port of the address must be between 1 and 65535")
	case u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("the address must not contain a query or a fragment")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "", fmt.Errorf("http:// is allowed only for this machine; use https://%s", u.Host)
	case u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("the address must begin with https://, not %q", u.Scheme)
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return BaseURL(u.String()), nil
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return text == "" || err == nil && n > 0
}

// url returns the parts of the address. If it cannot be parsed, all of it is the host, so
// that no other address has its origin.
func (b BaseURL) url() *url.URL {
	u, err := url.Parse(string(b))
	if err != nil {
		return &url.URL{Host: string(b)}
	}
	return u
}

// Origin returns scheme, host and port. A key is bound to an origin.
func (b BaseURL) Origin() string {
	u := b.url()
	// A port may have leading zeros.
	port := cmp.Or(strings.TrimLeft(u.Port(), "0"), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}

// Same reports whether two addresses are the same service, ignoring a default
// port and trailing slashes. Hosts are already in lower case.
func (b BaseURL) Same(other BaseURL) bool {
	return b.Origin() == other.Origin() && path.Clean("/"+b.url().Path) == path.Clean("/"+other.url().Path)
}

// reaches reports whether two addresses may lead to the same service.
func (b BaseURL) reaches(other BaseURL) bool {
	place := func(of BaseURL) string {
		// A dot at the end only says that a name is complete.
		host := of.url().Hostname()
		name := strings.TrimSuffix(host, ".")
		if isLoopback(name) {
			name = "localhost"
		}
		return strings.Replace(of.Origin(), net.JoinHostPort(host, ""), net.JoinHostPort(name, ""), 1)
	}
	folder := func(of BaseURL) string { return strings.TrimSuffix(path.Clean("/"+of.url().Path), "/") + "/" }
	here, there := folder(b), folder(other)
	return place(b) == place(other) && (strings.HasPrefix(here, there) || strings.HasPrefix(there, here))
}

// Host returns the host, and the port if the address names one.
func (b BaseURL) Host() string { return b.url().Host }

// IsLoopback reports whether the address is one of this machine.
func (b BaseURL) IsLoopback() bool { return isLoopback(b.url().Hostname()) }

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func parseStrokes(value any) (strokes []string, err error) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, one := range list {
		stroke, ok := one.(string)
		if !ok {
			return nil, errors.New(`keys are a string or a list of strings, such as ["b", "ctrl+b"]`)
		}
		strokes = append(strokes, stroke)
	}
	return strokes, nil
}

// shortestKey is the minimum length of an API key. Ids are shorter.
const shortestKey = 20

// NotShown replaces a text that looks like a key.
const NotShown = "(not shown: it looks like a key)"

// LooksLikeKey reports whether a text may be an API key that was typed in the
// wrong place: long, letters and digits only, and neither a word nor a number.
func LooksLikeKey(s string) bool {
	const hexLetters = "abcdefABCDEF"
	if len(s) < shortestKey || strings.Trim(s, letters+digits) != "" || strings.Trim(s, digits) == "" {
		return false
	}
	return strings.ContainsAny(s, digits) || strings.Trim(s, hexLetters) == ""
}

const (
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

func shown(s string) string {
	if LooksLikeKey(s) {
		return NotShown
	}
	return strconv.Quote(strings.ToValidUTF8(s, "�"))
}
