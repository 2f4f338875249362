package store

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"
)

func TestASnapshotIsOfOneAccountAndOneKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne.db")
	s := opened(t, path)
	at := time.UnixMilli(1_700_000_000_123)
	must(t, s.Of(production).Cache.PutSnapshot(t.Context(), "market", "k1", at.Add(-time.Hour), []byte("old")))
	must(t, s.Of(production).Cache.PutSnapshot(t.Context(), "market", "k1", at, []byte("new")))
	must(t, s.Close())
	s = opened(t, path)
	for _, test := range []struct{ account, name, mark, want string }{
		{production, "market", "k1", "new"}, {production, "market", "k2", ""}, {production, "inventory", "k1", ""}, {demo, "market", "k1", ""},
	} {
		body, when, err := s.Of(test.account).Cache.Snapshot(t.Context(), test.name, test.mark)
		if err != nil || string(body) != test.want || test.want != "" && !when.Equal(at) {
			t.Errorf("%+v: %q of %v (%v)", test, body, when, err)
		}
	}
	must(t, s.Of(production).Cache.PutSnapshot(t.Context(), "market", "k2", at, make([]byte, maxSnapshot+1)))
	if body, _, err := s.Of(production).Cache.Snapshot(t.Context(), "market", "k1"); err != nil || string(body) != "new" {
		t.Errorf("after one that is too large: %q (%v)", body, err)
	}
	must(t, s.Of(production).Cache.PutSnapshot(t.Context(), "market", "k2", at, bytes.Repeat([]byte("a"), 1<<20)))
	if body, _, err := s.Of(production).Cache.Snapshot(t.Context(), "market", "k1"); err != nil || body != nil {
		t.Errorf("the snapshot of another key is still there: %q (%v)", body, err)
	}
	must(t, run(s.conn, "UPDATE snapshot SET body = substr(body, 1, length(body) / 2)"))
	if _, _, err := s.Of(production).Cache.Snapshot(t.Context(), "market", "k2"); err == nil || s.Problem() != nil {
		t.Errorf("a damaged snapshot: %v, %v", err, s.Problem())
	}
}
