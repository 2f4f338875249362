package api

import (
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

const maxRedirects = 5

// outsideClient makes requests to addresses that came as data. It has no key,
// no cookies and no proxy: what it connects to is checked when it connects.
func (c *Client) outsideClient() *http.Client {
	dialer := &net.Dialer{Timeout: c.options.Timeout, Control: c.checkAddress}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  c.options.Timeout,
			MaxResponseHeaderBytes: maxHeader,
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			req.Header.Del("Referer")
			if len(via) > maxRedirects {
				return refused("the address of the certificate redirects too often")
			}
			_, err := CheckURL(req.URL.String())
			return err
		},
	}
}

// checkAddress refuses to connect to an address that the public cannot reach:
// a service must not make this program connect to hosts of its local network. A
// marketplace on this machine may name certificates on this machine.
func (c *Client) checkAddress(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refused("the address of the certificate cannot be checked")
	}
	// An address with a zone lies in no netip.Prefix.
	ip := at.Addr().Unmap().WithZone("")
	if ip.IsLoopback() && isLoopback(c.base.Hostname()) || isPublic(ip) {
		return nil
	}
	return refused("the certificate lies in a private network")
}

func isPublic(ip netip.Addr) bool {
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, reserved := range [...]netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"),
		netip.MustParsePrefix("100.64.0.0/10"),  // shared by carriers
		netip.MustParsePrefix("192.0.0.0/24"),   // protocol assignments
		netip.MustParsePrefix("198.18.0.0/15"),  // benchmarks
		netip.MustParsePrefix("240.0.0.0/4"),    // reserved
		netip.MustParsePrefix("::/96"),          // IPv4 of old
		netip.MustParsePrefix("64:ff9b::/96"),   // IPv4 behind NAT64
		netip.MustParsePrefix("64:ff9b:1::/48"), // the same, local
		netip.MustParsePrefix("2002::/16"),      // IPv4 behind 6to4
		netip.MustParsePrefix("2001::/32"),      // IPv4 behind Teredo
		netip.MustParsePrefix("fec0::/10"),      // site-local, of old
	} {
		if reserved.Contains(ip) {
			return false
		}
	}
	return true
}
