//go:build unix

package cli

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestDashboardStartsOffline(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	home := t.TempDir()
	open := func(key string) *program {
		return start(t, home, []string{"TONNE_BASE_URL=" + server.URL, "TONNE_API_KEY=" + key}).read()
	}
	leave := func(p *program) {
		p.press("q")
		if status := p.end(); status != 0 {
			t.Errorf("status %d:\n%q", status, tail(p.written()))
		}
		p.restored()
	}
	p := open(testKey)
	p.await("6.20")
	p.await("live")
	leave(p)
	server.Close()
	p = open(testKey)
	p.await("6.20")
	p.await("⚠ stale ")
	p.await("connection refused")
	leave(p)
	if strings.Contains(p.written(), "● ") {
		t.Error("the status shows a live connection")
	}
	p = open("another-key")
	p.await("connection refused")
	time.Sleep(time.Second)
	leave(p)
	if strings.Contains(p.written(), "6.20") {
		t.Error("the market is shown for another key")
	}
}
