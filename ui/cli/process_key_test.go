//go:build unix

package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestChildProcessesDoNotInheritKey(t *testing.T) {
	t.Parallel()
	var withKey atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+testKey {
			withKey.Add(1)
		}
		new(service).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for name, tt := range map[string]struct {
		args  []string
		sends bool
	}{
		"--exec":  {[]string{"watch", "--once", "--vintage", "V1", "--rule", "price < 7", "--exec", "env > \"$SEEN\""}, true},
		"$EDITOR": {[]string{"config", "edit"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			seen, editor := filepath.Join(t.TempDir(), "seen"), filepath.Join(t.TempDir(), "editor")
			if err := os.WriteFile(editor, []byte("#!/bin/sh\nenv > \"$SEEN\"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			before := withKey.Load()
			cmd, stderr := pipedCommand(t, server, tt.args...)
			cmd.Env = append(cmd.Env, "SEEN="+seen, "EDITOR="+editor)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			child, err := os.ReadFile(seen)
			if err != nil || !strings.Contains(string(child), "TONNE_BASE_URL="+server.URL) || strings.Contains(string(child), testKey) {
				t.Errorf("the environment of the child process (%v):\n%s", err, child)
			}
			if sent := withKey.Load() > before; sent != tt.sends {
				t.Errorf("requests with the key: %v, want %v", sent, tt.sends)
			}
		})
	}
}
