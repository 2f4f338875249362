package apitest

import (
	"io"
	"net/http"
	"strconv"
	"sync"
	"syscall"
)

// Transport makes requests to a handler without a network. A handler that
// panics with http.ErrAbortHandler breaks the connection.
func Transport(h http.Handler) http.RoundTripper { return transport{h} }

type transport struct{ handler http.Handler }

// RoundTrip returns when the handler has written its header.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, writer := io.Pipe()
	a := &answer{header: make(http.Header), body: writer, began: make(chan struct{})}
	var broken error
	done := make(chan struct{})
	go func() {
		defer close(done)
		broken = a.serve(t.handler, r)
		_ = writer.CloseWithError(broken)
	}()
	select {
	case <-r.Context().Done():
		_ = body.CloseWithError(r.Context().Err())
		return nil, r.Context().Err()
	case <-done:
		if broken != nil && a.status == 0 {
			return nil, broken
		}
	case <-a.began:
	}
	stop := closeOnEnd(r, body)
	return a.response(r, &closing{body, stop}), nil
}

// closing is a body that calls stop when it is closed.
type closing struct {
	io.ReadCloser
	stop func()
}

func (c *closing) Close() error {
	c.stop()
	return c.ReadCloser.Close()
}

// closeOnEnd breaks the body when the request is cancelled.
func closeOnEnd(r *http.Request, body *io.PipeReader) func() {
	end := make(chan struct{})
	go func() {
		select {
		case <-r.Context().Done():
			_ = body.CloseWithError(r.Context().Err())
		case <-end:
		}
	}()
	return sync.OnceFunc(func() { close(end) })
}

// answer is the http.ResponseWriter of a handler.
type answer struct {
	header http.Header
	sent   http.Header
	status int
	body   *io.PipeWriter
	began  chan struct{}
}

func (a *answer) serve(h http.Handler, r *http.Request) (broken error) {
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler {
				panic(p)
			}
			broken = syscall.ECONNRESET
		}
	}()
	h.ServeHTTP(a, r)
	if err := r.Context().Err(); err != nil {
		return err // the handler gave up: what it wrote is not whole
	}
	a.WriteHeader(http.StatusOK)
	return nil
}

func (a *answer) response(r *http.Request, body io.ReadCloser) *http.Response {
	length, err := strconv.ParseInt(a.sent.Get("Content-Length"), 10, 64)
	if err != nil {
		length = -1
	}
	return &http.Response{
		Status: strconv.Itoa(a.status) + " " + http.StatusText(a.status), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.sent, Body: body, ContentLength: length, Request: r,
	}
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status, a.sent = status, a.header.Clone()
		close(a.began)
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// Flush does nothing, because writes are not buffered.
func (a *answer) Flush() {}
