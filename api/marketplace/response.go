package marketplace

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// worthCompressing is the size from which a body is compressed: below it, it
// fits into one packet anyway.
const worthCompressing = 1400

var compressors = sync.Pool{New: func() any {
	// The fastest level already makes a page of the market four times smaller.
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return w
}}

func compress(body []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(body) / 4)
	w := compressors.Get().(*gzip.Writer)
	defer compressors.Put(w)
	w.Reset(&out)
	// A bytes.Buffer takes everything.
	_, _ = w.Write(body)
	_ = w.Close()
	return out.Bytes()
}

// acceptsGzip reports whether the client named gzip and did not rule it out.
func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(coding, ";")
		if strings.TrimSpace(name) != "gzip" {
			continue
		}
		quality, found := strings.CutPrefix(strings.TrimSpace(params), "q=")
		q, err := strconv.ParseFloat(quality, 64)
		return !found || err == nil && q > 0
	}
	return false
}

// respond writes a JSON body, compressed where the client takes that.
func respond(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	respondJSON(w, r, status, body, func() []byte { return compress(body) })
}

// respondJSON writes a JSON body in the form that the client accepts.
func respondJSON(w http.ResponseWriter, r *http.Request, status int, plain []byte, compressed func() []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	body := plain
	if len(plain) >= worthCompressing && acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body = compressed()
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
