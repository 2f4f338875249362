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

// expand undoes compress for a body of so many bytes.
func expand(zipped []byte, size int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	body := make([]byte, size)
	_, err = io.ReadFull(r, body)
	return body, err
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
	w.Header().Set("Cache-Control", "no-store")
	zipped := len(body) >= worthCompressing && acceptsGzip(r)
	if zipped {
		body = compress(body)
	}
	writeJSON(w, status, zipped, body)
}

// writeJSON writes a JSON body that may be compressed already.
func writeJSON(w http.ResponseWriter, status int, zipped bool, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if zipped {
		h.Set("Content-Encoding", "gzip")
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
