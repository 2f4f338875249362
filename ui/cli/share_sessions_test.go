//go:build unix

package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tonne/api/apitest"
	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
)

// keyRecorder records which key is sent to which host, and passes requests to the test
// service.
type keyRecorder struct {
	mu   sync.Mutex
	seen []string
	service
}

func (e *keyRecorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	if pair := r.Host + " " + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); !slices.Contains(e.seen, pair) {
		e.seen = append(e.seen, pair)
	}
	e.mu.Unlock()
	r.Header.Set("Authorization", "Bearer "+testKey)
	r.URL.Path = "/api/" + path.Base(r.URL.Path)
	e.service.ServeHTTP(w, r)
}

// storeProfileKeys returns a function that configures twoProfiles, stores their keys, and
// removes the base URL and key from the environment.
func storeProfileKeys(t *testing.T, keys map[string]string) func(env map[string]string, ring *fakeRing) {
	return func(env map[string]string, ring *fakeRing) {
		delete(env, "TONNE_BASE_URL")
		delete(env, "TONNE_API_KEY")
		(&world{t: t, env: env}).configure(twoProfiles)
		store := credentials.Open(filepath.Join(env["XDG_DATA_HOME"], "tonne", "credentials"), ring)
		for profile, key := range keys {
			base := "https://test.example"
			if profile == "prod" {
				base = "https://prod.example:8443/path/"
			}
			if profile == "address" {
				profile = ""
			}
			if _, err := store.Save(profile, config.BaseURL(base), key); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestShareSendsProfileKeyOnlyToItsBaseURL(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	e := new(keyRecorder)
	d := shareOver(t, apitest.Transport(e), storeProfileKeys(t, map[string]string{"test": "key-of-test", "prod": "key-of-prod"}), []string{"--base-url", "https://test.example/other"},
		ada.line(""), ben.line(`profile="prod"`))
	for _, p := range []person{ada, ben} {
		if r := d.ssh(p, "", "market", "-o", "csv"); r.status != 0 {
			t.Errorf("%s: %+v", p.name, r)
		}
	}
	d.close()
	slices.Sort(e.seen)
	if want := []string{"prod.example:8443 key-of-prod", "test.example key-of-test"}; !slices.Equal(e.seen, want) {
		t.Errorf("keys sent are %q, want %q", e.seen, want)
	}
}

func TestShareProfileNeedsItsOwnKey(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	w := newWorld(t, new(service))
	storeProfileKeys(t, map[string]string{"address": "key-of-address"})(w.env, w.ring)
	w.write("config/tonne/authorized_keys", ada.line(`profile="test"`))
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	if r := w.runContext(ctx, "share", "--listen", "127.0.0.1:0"); r.status != command.StatusUsage || !strings.Contains(r.stderr, "the profile test has no API key") {
		t.Errorf("%+v", r)
	}
}

func TestShareReportsMarketplacesAtStart(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	w := newWorld(t, new(service))
	storeProfileKeys(t, map[string]string{"test": "key-of-test", "prod": "key-of-prod"})(w.env, w.ring)
	w.write("config/tonne/authorized_keys", ada.line("")+ben.line(`profile="prod"`))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Run(ctx, command.Process{
			Args: []string{"share", "--listen", "127.0.0.1:0"}, Stdin: strings.NewReader(""), Stdout: in, Stderr: new(safeBuffer),
			Getenv: func(name string) string { return w.env[name] }, Now: time.Now, Keyring: w.ring, Transport: apitest.Transport(http.NotFoundHandler()),
		})
		_ = in.Close()
	}()
	lines := bufio.NewScanner(out)
	var got []string
	for len(got) < 4 && lines.Scan() {
		got = append(got, lines.Text())
	}
	cancel()
	go io.Copy(io.Discard, out)
	<-ended
	want := "the usual desk shows https://test.example, profile test ("
	if len(got) < 4 || !strings.HasPrefix(got[2], want) || got[3] != `profile="prod" shows https://prod.example:8443/path` {
		t.Errorf("output is %q", got)
	}
}

func TestShareLogsLineOfUnknownProfileOnReload(t *testing.T) {
	t.Parallel()
	ada, ben := newPerson(t, "ada"), newPerson(t, "ben")
	d := startShare(t, ada.line(""))
	d.setKeys(ada.line(""), ben.line(`profile="nope"`))
	d.logs("line cannot be served", "authorized_keys, line 2: profile=", "the line names the profile")
}

// panicOnLookUp is a transport that panics on requests for a retirement.
type panicOnLookUp struct{ http.RoundTripper }

func (c panicOnLookUp) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/api/retirement" {
		panic("a bug")
	}
	return c.RoundTripper.RoundTrip(r)
}

func TestSSHCommandPanicIsLogged(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	d := shareOver(t, panicOnLookUp{apitest.Transport(new(service))}, nil, nil, ada.line(""))
	r := d.ssh(ada, "", "retirement", "R1")
	if r.status != command.StatusFailed || !strings.Contains(r.stderr, "an internal error") || strings.Contains(r.stderr, "goroutine") {
		t.Errorf("%+v", r)
	}
	d.logs(`"msg":"panic"`, "a bug", "goroutine")
}

// closeCounter counts calls of CloseIdleConnections.
type closeCounter struct {
	http.RoundTripper
	closed atomic.Int64
}

func (i *closeCounter) CloseIdleConnections() { i.closed.Add(1) }

func TestSSHCommandsKeepServiceConnections(t *testing.T) {
	t.Parallel()
	ada := newPerson(t, "ada")
	network := &closeCounter{RoundTripper: apitest.Transport(new(service))}
	d := shareOver(t, network, nil, nil, ada.line(""))
	for _, command := range []string{"market", "project P1", "inventory"} {
		if r := d.ssh(ada, "", strings.Fields(command)...); r.status != 0 {
			t.Errorf("%s: %+v", command, r)
		}
	}
	if n := network.closed.Load(); n > 0 {
		t.Errorf("idle connections were closed %d times between commands", n)
	}
	if d.close(); network.closed.Load() != 2 {
		t.Errorf("%d clients closed their idle connections at shutdown, want 2", network.closed.Load())
	}
}
