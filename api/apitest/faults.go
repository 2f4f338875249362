package apitest

import (
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// JSON answers 200 with a body.
func JSON(body string) http.Handler { return Status(http.StatusOK, body) }

// Status answers with a status and a JSON body.
func Status(code int, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	})
}

// RateLimited answers 429 with a Retry-After header.
func RateLimited(retryAfter string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", retryAfter)
		w.WriteHeader(http.StatusTooManyRequests)
	})
}

// HTML answers 200 with the page of a proxy.
func HTML() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!DOCTYPE html><html><body><h1>Welcome</h1></body></html>")
	})
}

// CutOff declares the length of the whole body, and closes the connection after its first half.
func CutOff(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = io.WriteString(w, body[:len(body)/2])
		flush(w)
		panic(http.ErrAbortHandler)
	})
}

// Reset closes the connection without a response.
func Reset() http.Handler {
	return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
}

// Hang accepts a request and never answers.
func Hang() http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// Slow sends a body byte by byte, with a pause before each byte.
func Slow(body string, pause time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range len(body) {
			select {
			case <-r.Context().Done():
				return
			case <-time.After(pause):
			}
			if _, err := io.WriteString(w, body[i:i+1]); err != nil {
				return
			}
			flush(w)
		}
	})
}

// Redirect answers 302 to a location.
func Redirect(location string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusFound)
	})
}

// Sequence answers each request with the next handler, and after the last one
// with the last.
func Sequence(handlers ...http.Handler) http.Handler {
	var count atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(count.Add(1)) - 1
		handlers[min(n, len(handlers)-1)].ServeHTTP(w, r)
	})
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
