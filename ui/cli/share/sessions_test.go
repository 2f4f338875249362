package share

import (
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tonne/ui/cli/command"
	"tonne/ui/cli/config"
	"tonne/ui/cli/credentials"
	"tonne/ui/cli/sshd"
	"tonne/ui/cli/terminal"
)

// fakeTransport fails every request and counts calls of CloseIdleConnections.
type fakeTransport struct{ closed atomic.Int64 }

func (i *fakeTransport) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.EOF }

func (i *fakeTransport) CloseIdleConnections() { i.closed.Add(1) }

// newTestServer returns a server with an empty home and additional environment variables.
func newTestServer(t *testing.T, more map[string]string) (s *server, home string) {
	t.Helper()
	home = t.TempDir()
	env := map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_DATA_HOME": filepath.Join(home, "data"), "XDG_STATE_HOME": filepath.Join(home, "state"),
	}
	s = newServer(command.NewApp(command.Process{
		Getenv: func(name string) string { return env[name] + more[name] }, Stderr: io.Discard, Now: time.Now, Transport: new(fakeTransport),
	}, new(terminal.Terminal)), nil)
	s.log = slog.New(slog.DiscardHandler)
	t.Cleanup(s.close)
	return s, home
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDefaultProfileByNameSharesSession(t *testing.T) {
	t.Parallel()
	s, home := newTestServer(t, nil)
	write(t, filepath.Join(home, "config", "tonne", "config.toml"), `profile = "test"
[profiles.test]
base_url = "https://test.example"
[profiles.prod]
base_url = "https://prod.example"
`)
	keys := credentials.Open(filepath.Join(home, "data", "tonne", "credentials"), nil)
	for _, profile := range []string{"test", "prod"} {
		if _, err := keys.Save(profile, config.BaseURL("https://"+profile+".example"), "key-of-"+profile); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.openAll([]sshd.Person{{Profile: "test"}, {Profile: "prod"}, {}}, nil); err != nil {
		t.Fatal(err)
	}
	if got := s.summary(); strings.Contains(got, "--profile") || !strings.Contains(got, "the usual desk shows https://test.example, profile test (") {
		t.Errorf("the summary is %s", got)
	}
	open := func(profile string) *sharedSession {
		session, err := s.open(profile)
		if err != nil {
			t.Fatal(err)
		}
		return session
	}
	if open("") != open("test") || open("test") == open("prod") {
		t.Error("the default profile has another session than its name, or prod has the same")
	}
}

var configured = map[string]string{"TONNE_BASE_URL": "https://market.example", "TONNE_API_KEY": "5ec7e75ec7e75ec7e75ec7e7"}

func TestSharedSessionKnowsViewer(t *testing.T) {
	t.Parallel()
	s, _ := newTestServer(t, configured)
	open, err := s.open("")
	if err != nil {
		t.Fatal(err)
	}
	if o := remoteOptions(&sshd.Session{Person: sshd.Person{Name: "ada"}, Terminal: new(sshd.Terminal)}, open); o.Who != "ada" {
		t.Errorf("viewer is %q, want ada", o.Who)
	}
}

func TestFailedSessionClosesItsClients(t *testing.T) {
	t.Parallel()
	s, home := newTestServer(t, configured)
	write(t, filepath.Join(home, "state", "tonne", "share"), "not a directory")
	if _, err := s.open(""); err == nil || s.App.Transport.(*fakeTransport).closed.Load() != 2 {
		t.Errorf("%d clients closed, want 2: %v", s.App.Transport.(*fakeTransport).closed.Load(), err)
	}
}
