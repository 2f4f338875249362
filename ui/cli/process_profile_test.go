//go:build unix

package cli

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	must "tonne/model/musttest"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
)

// keyed is the test service for one key. It records the keys that it gets.
type keyed struct {
	service
	key  string
	mu   sync.Mutex
	keys map[string]int
}

func (k *keyed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	k.mu.Lock()
	k.keys[sent]++
	k.mu.Unlock()
	if sent == k.key {
		r.Header.Set("Authorization", "Bearer "+testKey)
	}
	k.service.ServeHTTP(w, r)
}

func TestDashboardSwitchesTheProfile(t *testing.T) {
	t.Parallel()
	const ours, theirs = "0a9d51f2c07b4e6f8a9d51f2c07b4e6f", "77b1e0c4d2f95a3888b1e0c4d2f95a38"
	us, them := &keyed{key: ours, keys: make(map[string]int)}, &keyed{key: theirs, keys: make(map[string]int)}
	w, ourURL, theirURL := newWorld(t, nil), listen(t, us), listen(t, them)
	both := "[profiles.ours]\nbase_url = \"" + ourURL + "\"\nallow_retire = true\n" +
		"[profiles.theirs]\nbase_url = \"" + theirURL + "\"\nlabel = \"Their Tenant\"\nproduction = true\n" +
		"[profiles.nokey]\nbase_url = \"" + theirURL + "\"\n"
	w.configure(both)
	must.Succeed(t,
		must.Err(credentials.Open(filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "credentials"), nil).Save("theirs",
			config.BaseURL(theirURL), theirs)))
	// Address, key and permission of the command line are those of the first profile.
	p := start(t, w.env["HOME"], []string{"TONNE_BASE_URL=" + ourURL, "TONNE_API_KEY=" + ours}, "--allow-retire").read()
	// presses types into a screen and waits until a text appears after it.
	presses := func(keys, text string) {
		t.Helper()
		from := len(p.written())
		p.press(keys)
		p.awaitAfter(p.written()[:from], text)
	}
	p.await("6.20", "CAN RETIRE")
	if runtime.GOOS == "linux" {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.cmd.Process.Pid))
		must.Hold(t, err == nil && !strings.Contains(string(line), ours), "the process list shows", line, err)
	}
	presses(":", "Commands")
	presses("profile nokey\r", "no API key.")
	w.configure("nonsense")
	presses(":", "Commands")
	presses("profile theirs\r", "config.toml:1:")
	w.configure(both)
	// The characters of a filter may be drawn in several frames, so wait for the next screen.
	p.press("/2019\r")
	presses(":", "Commands")
	presses("profile theirs\r", "\x1b[?1049h")
	p.awaitAfter("\x1b[?1049l", "Their Tenant")
	p.awaitAfter("\x1b[?1049l", "PRODUCTION")
	p.awaitAfter("\x1b[?1049l", "NO RETIRING")
	p.awaitAfter("\x1b[?1049l", "6.20")
	presses(":", "Commands")
	presses("profile ours\r", "\x1b[?1049h")
	p.awaitAfter("NO RETIRING", "CAN RETIRE")
	p.press("q")
	p.end(0)
	p.restored()
	text := p.written()
	must.Hold(t, !strings.Contains(text, ours) && !strings.Contains(text, theirs), "a key is on the screen")
	for name, k := range map[string]*keyed{"ours": us, "theirs": them} {
		must.Hold(t, len(k.keys) == 1 && k.keys[k.key] != 0, "the service of", name, "got the keys", k.keys)
	}
}
