package marketplace

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func respond(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Set("Cache-Control", "no-store")
	in := codingFor(len(body), preferred(r))
	writeJSON(w, status, in, in.compress(body))
}

func writeJSON(w http.ResponseWriter, status int, in coding, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if in != identity {
		h.Set("Content-Encoding", in.String())
	}
	writeBody(w, status, body)
}

func writeBody(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// This fails only if the client has disconnected.
	_, _ = w.Write(body)
}

func setRetryAfter(w http.ResponseWriter, wait time.Duration) {
	seconds := (wait + time.Second - 1) / time.Second
	w.Header().Set("Retry-After", strconv.Itoa(int(max(seconds, 1))))
}

const ifNoneMatch = "If-None-Match"

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:16])
}

// tagOf returns the strong ETag of content in one coding. Each coding has its own tag.
func tagOf(hash string, in coding) string {
	if in != identity {
		hash += "-" + in.String()
	}
	return `"` + hash + `"`
}

// listsTag compares tags as RFC 9110 defines for If-None-Match.
func listsTag(values []string, tag string) bool {
	return slices.ContainsFunc(values, func(list string) bool {
		return strings.TrimSpace(list) == "*" || strings.Contains(list, tag)
	})
}

// respondTagged writes a JSON body that the client may cache if it revalidates each time.
func respondTagged(w http.ResponseWriter, known []string, tag string, in coding, body func() []byte) {
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "private, no-cache")
	if listsTag(known, tag) {
		h.Set("Vary", "Accept-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeJSON(w, http.StatusOK, in, body())
}
