//go:build unix

package cli

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTheFirstRunAsksInLinesWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	for _, setting := range []string{"ACCESSIBLE=1", "TERM=dumb"} {
		home := t.TempDir()
		p := start(t, home, []string{setting}).read()
		p.await("Type demo")
		p.press("market.example\r")
		p.await("is not an address")
		p.press(server.URL + "\r")
		p.await("API key for")
		p.press("wrong\r")
		p.awaitAfter("paste the key again", "API key for")
		p.press(testKey + "\r")
		p.await("stored in")
		p.await("$6.20")
		if status := p.end(); status != 0 {
			t.Errorf("%s: status %d:\n%q", setting, status, tail(p.written()))
		}
		if text := p.written(); strings.Contains(text, "\x1b") || strings.Contains(text, testKey) {
			t.Errorf("%s: something is drawn, or the key is shown:\n%q", setting, text)
		}
		p.restored()
	}
}
