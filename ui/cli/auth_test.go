package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tonne/api/apitest"
)

func TestLoginChecksAndStoresKeyFromStdin(t *testing.T) {
	t.Parallel()
	s := new(service)
	w := newWorld(t, s).unconfigured()
	w.stdin = testKey + "\n"
	r := w.run("auth", "login", "--base-url", baseURL)
	if r.status != 0 || r.stdout != "" || !strings.Contains(r.stderr, "The key is valid for market.example.") || !strings.Contains(r.stderr, "the keyring") {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	if len(s.requests) != 1 {
		t.Errorf("%d requests to check a key: %v", len(s.requests), s.requests)
	}
	w.must("market")
	if got := w.must("auth", "status"); !strings.Contains(got, "stored credentials (keyring)") || !strings.Contains(got, "the key works") {
		t.Errorf("auth status prints\n%s", got)
	}
	if r := w.run("auth", "logout"); r.status != 0 || len(w.ring.secrets) != 0 {
		t.Errorf("logout: status %d, %d secrets", r.status, len(w.ring.secrets))
	}
	if r := w.run("market"); r.status != 2 {
		t.Errorf("after logout: status %d", r.status)
	}
}

func TestLoginDoesNotStoreRefusedKey(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{401: 3, 403: 3, 500: 5} {
		w := newWorld(t, apitest.Status(status, "{}")).unconfigured()
		w.stdin = testKey
		r := w.run("auth", "login", "--base-url", baseURL)
		if r.status != want || len(w.ring.secrets) != 0 {
			t.Errorf("%d: status %d, %d secrets", status, r.status, len(w.ring.secrets))
		}
		r.sentences(t)
	}
}

func TestLoginFallsBackToOwnerOnlyFile(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(w *world) []string{
		"keyring fails":   func(w *world) []string { w.ring.err = errors.New("no keyring"); return nil },
		"--file is given": func(*world) []string { return []string{"--file"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, new(service)).unconfigured()
			w.stdin = testKey
			r := w.run(append([]string{"auth", "login", "--base-url", baseURL}, prepare(w)...)...)
			file := filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "credentials", "keys.json")
			if r.status != 0 || !strings.Contains(r.stderr, file) {
				t.Fatalf("status %d: %s", r.status, r.stderr)
			}
			w.must("market")
			if runtime.GOOS == "windows" {
				return
			}
			for path, mode := range map[string]os.FileMode{file: 0o600, filepath.Dir(file): 0o700} {
				if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
					t.Errorf("%s: %v, %v", path, info.Mode(), err)
				}
			}
			if err := os.Chmod(file, 0o644); err != nil {
				t.Fatal(err)
			}
			loose := w.run("market")
			if _, todo := loose.sentences(t); loose.status != 2 || !strings.Contains(todo, "chmod 600") {
				t.Errorf("mode 0644: status %d, %s", loose.status, loose.stderr)
			}
		})
	}
}

func TestLoginTimesOutOnStuckKeyring(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, new(service)).unconfigured()
		w.ring.stuck = make(chan struct{})
		defer close(w.ring.stuck)
		w.stdin = testKey
		start := time.Now()
		r := w.run("auth", "login", "--base-url", baseURL)
		if r.status != 0 || !strings.Contains(r.stderr, "keys.json") {
			t.Errorf("status %d: %s", r.status, r.stderr)
		}
		if waited := time.Since(start); waited != 3*time.Second {
			t.Errorf("login waits for %s, want 3 s", waited)
		}
	})
}

func TestLoginAddsNewProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service)).unconfigured()
	w.stdin = testKey
	if r := w.run("auth", "login", "--profile", "acme", "--base-url", baseURL); r.status != 0 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	w.must("market", "--profile", "acme")
	w.must("market")
	if got := w.must("config", "show"); !strings.Contains(got, "profile      acme") {
		t.Errorf("config show prints\n%s", got)
	}
}

func TestProfilesDoNotShareKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service)).unconfigured()
	w.configure("[profiles.a]\nbase_url = \"" + baseURL + "\"\n[profiles.b]\nbase_url = \"" + baseURL + "\"\n")
	w.stdin = testKey
	if r := w.run("auth", "login", "--profile", "a"); r.status != 0 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	w.must("market", "--profile", "a")
	if r := w.run("market", "--profile", "b"); r.status != 2 {
		t.Errorf("profile b uses the key of profile a: status %d", r.status)
	}
}

const acme = "profile = \"acme\"\n[profiles.acme]\nbase_url = \"" + baseURL + "\"\n"

func TestProfileWithoutKeyUsesKeyOfBaseURL(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--base-url", baseURL}, {"--profile", "acme"}} {
		w := newWorld(t, new(service)).unconfigured()
		w.stdin = testKey
		if r := w.run("auth", "login", "--base-url", baseURL); r.status != 0 {
			t.Fatalf("status %d: %s", r.status, r.stderr)
		}
		w.configure(acme)
		w.must(append([]string{"market"}, args...)...)
		if got := w.must(append([]string{"auth", "status"}, args...)...); !strings.Contains(got, "(keyring), stored for the address") {
			t.Errorf("%v: auth status does not name the key of the base URL:\n%s", args, got)
		}
		r := w.run(append([]string{"auth", "logout"}, args...)...)
		if r.status != 0 || len(w.ring.secrets) != 0 || !strings.Contains(r.stderr, "The key for market.example is removed") {
			t.Errorf("%v: logout: status %d, %d secrets, %s", args, r.status, len(w.ring.secrets), r.stderr)
		}
	}
}

func TestProfileKeyOverridesKeyOfBaseURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service)).unconfigured()
	w.configure(acme)
	w.store("acme", baseURL, testKey)
	w.store("", baseURL, "another")
	if got := w.must("auth", "status"); strings.Contains(got, "stored for the address") {
		t.Errorf("auth status prints\n%s", got)
	}
	r := w.run("auth", "logout")
	if r.status != 0 || len(w.ring.secrets) != 1 || !strings.Contains(r.stderr, "the key for market.example is used, which is still stored") {
		t.Errorf("status %d, %d secrets: %s", r.status, len(w.ring.secrets), r.stderr)
	}
	if r := w.run("auth", "logout"); r.status != 0 || len(w.ring.secrets) != 0 || strings.Contains(r.stderr, "still") {
		t.Errorf("second logout: status %d, %d secrets: %s", r.status, len(w.ring.secrets), r.stderr)
	}
	if r := w.run("auth", "logout"); r.status != 2 || !strings.Contains(r.stderr, "no key is stored") {
		t.Errorf("third logout: status %d, %s", r.status, r.stderr)
	}
}

func TestLogoutRemovesEveryStoredKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, new(service)).unconfigured()
	w.configure(acme)
	w.store("acme", "https://moved.example", "a")
	w.store("gone", baseURL, "b")
	w.store("gone", "https://other.example", "c")
	w.store("", "https://another.example", "d")
	for left := 3; left >= 0; left-- {
		r := w.run("auth", "logout")
		_, todo := r.sentences(t)
		_, rest, found := strings.Cut(todo, "`tonne ")
		if r.status != 2 || !found {
			t.Fatalf("status %d: %s", r.status, r.stderr)
		}
		suggested := strings.Fields(strings.TrimSuffix(rest, "`."))
		if r := w.run(suggested...); r.status != 0 || len(w.ring.secrets) != left {
			t.Errorf("%v: status %d, %d secrets: %s", suggested, r.status, len(w.ring.secrets), r.stderr)
		}
	}
	w.store("gone", baseURL, "b")
	if r := w.run("auth", "logout", "--profile", "gone"); r.status != 0 || len(w.ring.secrets) != 0 {
		t.Errorf("--profile alone: status %d, %s", r.status, r.stderr)
	}
}

func TestUnsafeCredentialsDirectoryIsExplained(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	w := newWorld(t, new(service)).unconfigured()
	data := filepath.Join(w.env["XDG_DATA_HOME"], "tonne", "credentials")
	if err := errors.Join(os.MkdirAll(data, 0o700), os.Chmod(data, 0o777)); err != nil {
		t.Fatal(err)
	}
	login := func() result {
		w.stdin = testKey
		return w.run("auth", "login", "--file", "--base-url", baseURL)
	}
	r := login()
	if what, todo := r.sentences(t); r.status != 2 || !strings.Contains(what, data+" is accessible to other users") || !strings.Contains(todo, "chmod 700 "+data) {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
	if err := os.Chmod(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if r := login(); r.status != 0 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	file := filepath.Join(data, "keys.json")
	if err := errors.Join(os.Rename(file, file+".real"), os.Symlink(file+".real", file)); err != nil {
		t.Fatal(err)
	}
	r = w.run("market")
	if what, _ := r.sentences(t); r.status != 2 || !strings.Contains(what, "not a regular file") {
		t.Errorf("symbolic link: status %d, %s", r.status, r.stderr)
	}
	// With a key in the environment, the stored ones are not needed.
	w.env["TONNE_API_KEY"], w.env["TONNE_BASE_URL"] = testKey, baseURL
	if r := w.run("market"); r.status != 0 {
		t.Errorf("key in the environment: status %d, %s", r.status, r.stderr)
	}
}
