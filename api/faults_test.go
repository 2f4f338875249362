package api_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// gzipBomb answers a small body that is of the given size when decompressed.
func gzipBomb(size int) http.Handler {
	const block = 1 << 20
	var member bytes.Buffer // a gzip stream is any number of these
	z := gzip.NewWriter(&member)
	_, _ = z.Write(bytes.Repeat([]byte(" "), block))
	_ = z.Close()
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		for range size / block {
			if _, err := w.Write(member.Bytes()); err != nil {
				return
			}
		}
	})
}

// hugeHeaders answers with headers of the given size in all.
func hugeHeaders(size int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		const one = 4 << 10
		for n := range size / one {
			w.Header().Set("X-Padding-"+strconv.Itoa(n), strings.Repeat("x", one))
		}
	})
}

// late waits before it answers with h.
func late(h http.Handler, wait time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(wait):
			h.ServeHTTP(w, r)
		}
	})
}
