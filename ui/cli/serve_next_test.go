package cli

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// untilListening ends a service when it says that it listens.
type untilListening struct {
	strings.Builder
	end func()
}

func (u *untilListening) Write(text []byte) (int, error) {
	if strings.Contains(string(text), "listening") {
		u.end()
	}
	return u.Builder.Write(text)
}

// serveBriefly runs a service until it listens.
func (w *world) serveBriefly(args ...string) result {
	ctx, cancel := context.WithCancelCause(w.t.Context())
	stdout := &untilListening{end: func() { cancel(&signalError{15}) }}
	var stderr strings.Builder
	status := Run(ctx, Process{
		Args: args, Stdin: strings.NewReader(""), Stdout: stdout, Stderr: &stderr, Now: time.Now,
		Getenv: func(name string) string { return w.env[name] },
	})
	return result{status, stdout.String(), stderr.String()}
}

func TestServeSaysWhichFileItServesAndWhatToDoNext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		args     []string
		file     string
		want     []string
		wantsNot string
	}{
		{"the default", nil, "data/tonne/marketplace.db",
			[]string{"Make a key with `tonne serve keys create --tenant NAME`.", "`tonne auth login --base-url http://127.0.0.1:"}, "--db"},
		{"a file of the person's", []string{"--db"}, "my market.db",
			[]string{"my market.db' --tenant NAME`.", "open the dashboard with `tonne`."}, ""},
		{"synthetic data", []string{"--demo-data", "--db"}, "demo.db",
			[]string{"Store the key that was printed with `tonne auth login --base-url http://127.0.0.1:"}, "keys create"},
		{"all addresses", []string{"--addr", ":0", "--db"}, "all.db", []string{"--base-url http://127.0.0.1:"}, "[::]"},
	} {
		w := newWorld(t, nil).unconfigured()
		path := filepath.Join(w.env["HOME"], filepath.FromSlash(c.file))
		args := []string{"serve", "--addr", "127.0.0.1:0"}
		if c.args != nil {
			args = append(append(args, c.args...), path)
		}
		r := w.serveBriefly(args...)
		said, _, _ := strings.Cut(r.stderr, "{")
		for _, want := range append(c.want, "tonne: serving the database "+path+".\n") {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q is not said:\n%s", c.name, want, said)
			}
		}
		if c.wantsNot != "" && strings.Contains(said, c.wantsNot) {
			t.Errorf("%s: %q is said:\n%s", c.name, c.wantsNot, said)
		}
		if strings.Contains(r.stdout, "dashboard") {
			t.Errorf("%s: standard output holds more than data:\n%s", c.name, r.stdout)
		}
	}
}

func TestServeNamesTheTenantWhoOwnsSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil).unconfigured()
	args := []string{"serve", "--addr", "127.0.0.1:0", "--demo-data"}
	w.serveBriefly(args...)
	r := w.serveBriefly(args...)
	if want := "Make a key with `tonne serve keys create --tenant 'ACME Trading (synthetic)'`.\n"; !strings.Contains(r.stderr, want) {
		t.Errorf("%q is not said:\n%s", want, r.stderr)
	}
}

func TestAPathIsOneWordForAShell(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/var/lib/m.db": "/var/lib/m.db", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "": "''"} {
		if got := shellWord(path); got != want {
			t.Errorf("%q is %s, want %s", path, got, want)
		}
	}
}

func TestTheAddressToConnectToIsOneOfThisMachine(t *testing.T) {
	t.Parallel()
	if got := connectTo(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8080}); got != "http://127.0.0.1:8080" {
		t.Error(got)
	}
	if got := connectTo(&net.TCPAddr{IP: net.IPv6loopback, Port: 8080}); got != "http://[::1]:8080" {
		t.Error(got)
	}
}
