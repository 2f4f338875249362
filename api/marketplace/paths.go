package marketplace

import (
	"net/http"
	"path"
	"strings"
)

// plainPaths answers a path that is not written plainly, such as //api/market,
// as one that the service does not have: http.ServeMux would redirect it with
// a page of HTML.
func (m *Marketplace) plainPaths(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isPlainPath(r.URL.EscapedPath()) {
			m.unknownPath(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isPlainPath(p string) bool {
	if !strings.HasPrefix(p, "/") {
		return false
	}
	clean := path.Clean(p)
	return p == clean || clean != "/" && p == clean+"/"
}
