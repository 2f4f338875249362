//go:build unix

package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	"github.com/creack/pty"
)

// A terminal without a size shows no frame until it gets one.
func TestTheFirstPollWaitsForTheFirstFrame(t *testing.T) {
	t.Parallel()
	var sized, early atomic.Bool
	serve := new(service)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !sized.Load() {
			early.Store(true)
		}
		serve.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p := startAt(t, 0, 0, environment(t.TempDir(), "TONNE_BASE_URL="+server.URL, "TONNE_API_KEY="+testKey), os.Args[0]).read()
	p.await("\x1b[?1049h")
	sized.Store(true)
	if err := pty.Setsize(p.master, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	p.await("6.20")
	if early.Load() {
		t.Error("the service is asked before there is a frame")
	}
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d", status)
	}
}
