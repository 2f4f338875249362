package api

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"tonne/api/wire"
)

// CheckURL parses an untrusted URL, and refuses it unless it is https with a host, or
// http on this machine, and has no user info and no control or invisible characters. The
// error is an *Error of kind Refused.
func CheckURL(raw string) (*url.URL, error) {
	if strings.ContainsFunc(raw, foreign) || wire.Clean(raw) != raw {
		return nil, refused("the address holds characters that no address has")
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil, u.Opaque != "", u.Hostname() == "":
		return nil, refused("the address is not a web address")
	case u.User != nil:
		return nil, refused("the address holds a user name")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return u, nil
	}
	return nil, refused("the address is not https")
}

// foreign reports whether no valid address has the character, even if a parser accepts
// it. Sanitised text shows removed characters as U+FFFD, as pictures of control
// characters, or as <U+202E>.
func foreign(r rune) bool {
	return r == unicode.ReplacementChar || '\u2400' <= r && r <= '\u243f' || r == '<' || r == '>' ||
		unicode.IsControl(r) || unicode.IsSpace(r)
}

func refused(message string) *Error { return &Error{Kind: Refused, Message: message} }

func isLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
