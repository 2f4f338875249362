//go:build unix

package cli

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

func TestPassphrasePromptDoesNotEcho(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(new(service))
	t.Cleanup(server.Close)
	w := newWorld(t, nil)
	key, fingerprint := w.sshKey("secret words")
	pack := filepath.Join(w.env["HOME"], "a.zip")
	env := []string{"TONNE_API_KEY=" + testKey, "TONNE_BASE_URL=" + server.URL}
	p := start(t, t.TempDir(), env, "retirement", "R2", "--pack", pack, "--sign", key).read()
	p.await("): ")
	p.press("secret words\n")
	if status := p.end(); status != 0 || strings.Contains(p.written(), "secret") {
		t.Errorf("status %d:\n%s", status, tail(p.written()))
	}
	p.restored()
	if got := w.must("evidence", "verify", pack); !strings.Contains(got, "by the key "+fingerprint) {
		t.Errorf("verify prints\n%s", got)
	}
}
