package marketplace

import (
	"net/http"
	"net/netip"
	"strings"
)

// addressOf names the client of a request that has no key. A proxy on this
// machine is asked whom it speaks for: the last address in X-Forwarded-For is
// the one that it added itself. An IPv6 client is its network of 64 bits,
// because it has all addresses in that.
func addressOf(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	address := peer.Addr().Unmap()
	if forwarded := r.Header.Values("X-Forwarded-For"); address.IsLoopback() && len(forwarded) > 0 {
		last := forwarded[len(forwarded)-1]
		last = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
		if client, err := netip.ParseAddr(last); err == nil {
			address = client.Unmap()
		}
	}
	if address.Is6() {
		network, _ := address.WithZone("").Prefix(64)
		return network.String()
	}
	return address.String()
}
