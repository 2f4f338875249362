package marketplace

import (
	"net/http"
	"strconv"
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
	// The client has gone when this fails, and nobody is left to tell.
	_, _ = w.Write(body)
}

// setRetryAfter says in whole seconds, rounded up, when to try again.
func setRetryAfter(w http.ResponseWriter, wait time.Duration) {
	seconds := (wait + time.Second - 1) / time.Second
	w.Header().Set("Retry-After", strconv.Itoa(int(max(seconds, 1))))
}
