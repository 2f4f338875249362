//go:build unix

package cli

import (
	"net/http/httptest"
	"os"
	"testing"

	"github.com/creack/pty"
)

func TestDashboardDrawsAfterLateResize(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	p := startAt(t, 0, 0, environment(t.TempDir(), "TONNE_BASE_URL="+server.URL, "TONNE_API_KEY="+testKey), os.Args[0]).read()
	p.await("\x1b[?1049h")
	if err := pty.Setsize(p.master, &pty.Winsize{Rows: 36, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	p.await("6.20")
	p.press("q")
	if status := p.end(); status != 0 {
		t.Errorf("status %d", status)
	}
}
