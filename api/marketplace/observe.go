package marketplace

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"tonne/api/marketplace/exchange"
)

type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	from   exchange.Caller
	err    error
}

func (rec *recorder) WriteHeader(status int) {
	rec.status = cmp.Or(rec.status, status)
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *recorder) Write(p []byte) (int, error) {
	rec.status = cmp.Or(rec.status, http.StatusOK)
	n, err := rec.ResponseWriter.Write(p)
	rec.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController access to the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

func recording(w http.ResponseWriter) *recorder {
	if rec, ok := w.(*recorder); ok {
		return rec
	}
	return new(recorder)
}

func (m *Marketplace) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := rand.Text()
		w.Header().Set("X-Request-Id", id)
		rec := &recorder{ResponseWriter: w}
		defer func() {
			if p := recover(); p != nil {
				m.recovered(rec, r, p)
			}
			m.metrics.count(r.Pattern, r.Method, rec.status, time.Since(start))
			m.logRequest(r, rec, id, time.Since(start))
		}()
		next.ServeHTTP(rec, r)
	})
}

func (m *Marketplace) recovered(rec *recorder, r *http.Request, p any) {
	if p == http.ErrAbortHandler {
		panic(p)
	}
	m.log.Error("handler panicked", "panic", p, "stack", string(debug.Stack()))
	if rec.status == 0 {
		m.respondError(rec, r, errInternal)
	}
}

// The log has no query and no path: the path of a certificate is secret.
func (m *Marketplace) logRequest(r *http.Request, rec *recorder, id string, took time.Duration) {
	level := slog.LevelInfo
	attrs := []slog.Attr{
		slog.String("id", id), slog.String("method", r.Method), slog.String("route", r.Pattern),
		slog.Int("status", rec.status), slog.Int64("bytes", rec.bytes), slog.Duration("took", took),
		slog.String("remote", r.RemoteAddr),
	}
	if rec.from.KeyID != "" {
		attrs = append(attrs, slog.String("key_id", rec.from.KeyID), slog.Int64("tenant", rec.from.Tenant))
	}
	if rec.err != nil {
		attrs = append(attrs, slog.String("error", rec.err.Error()))
		level = slog.LevelError
	}
	m.log.LogAttrs(context.WithoutCancel(r.Context()), level, "request", attrs...)
}
