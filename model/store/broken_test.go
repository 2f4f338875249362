package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tonne/model/dbfile/dbfiletest"
)

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, content, 0o600))
}

// execute changes a file without the store.
func execute(t *testing.T, path, script string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	must(t, err)
	must(t, sqlitex.ExecuteScript(conn, script, nil))
	must(t, conn.Close())
}

func TestAFileThatLostItsContentIsReportedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne.db")
	var said []error
	open := func() *Store { return Open(path).WhenLost(func(lost error) { said = append(said, lost) }) }
	s := open()
	fill(t, s, production)
	must(t, s.Close())
	if s.Lost() != nil || len(said) > 0 {
		t.Errorf("a file that never existed: %v, %v", s.Lost(), said)
	}
	must(t, os.Truncate(path, 0))
	s = open()
	entries, err := s.Of(production).Ledger.Entries(t.Context())
	must(t, err)
	if len(entries) > 0 || len(said) != 1 || s.Lost() != said[0] || !strings.Contains(said[0].Error(), path) || s.Problem() != nil {
		t.Errorf("%d entries, %v, %v, %v", len(entries), said, s.Lost(), s.Problem())
	}
	must(t, s.Close())
	s = open()
	fill(t, s, production)
	must(t, s.Close())
	if len(said) != 1 {
		t.Errorf("it is reported again: %v", said)
	}
}

func TestAFileThatCannotBeUsedIsReplacedByMemory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		says  string
	}{
		"not a database": {func(t *testing.T, path string) {
			write(t, path, bytes.Repeat([]byte("not a database. "), 1000))
		}, "it is damaged"},
		"cut off": {func(t *testing.T, path string) {
			s := Open(path)
			fill(t, s, production)
			must(t, s.Close())
			must(t, os.Truncate(path, 5000))
		}, "it is damaged"},
		"of another program": {func(t *testing.T, path string) {
			execute(t, path, "PRAGMA application_id = 77; CREATE TABLE origin (a)")
		}, "belongs to another program"},
		"of a newer version": {func(t *testing.T, path string) {
			s := Open(path)
			fill(t, s, production)
			must(t, s.Close())
			execute(t, path, "PRAGMA user_version = 99")
		}, "a newer version"},
		"a directory":  {func(t *testing.T, path string) { must(t, os.MkdirAll(path, 0o700)) }, "it is a directory"},
		"below a file": {func(t *testing.T, path string) { write(t, filepath.Dir(path), nil) }, "it cannot be written"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state", "tonne.db")
			c.spoil(t, path)
			before, _ := os.ReadFile(path)
			s := opened(t, path)
			must(t, s.Of(production).Ledger.Remove(t.Context(), "00m1"))
			fill(t, s, demo)
			filled(t, s, demo)
			problem := s.Problem()
			if problem == nil || !strings.Contains(problem.Error(), c.says) || !strings.Contains(problem.Error(), path) {
				t.Errorf("problem: %v", problem)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestAFileThatIsNotOursIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	for name, stranger := range dbfiletest.Strangers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "tonne.db")
			stranger.Make(t, path)
			dbfiletest.Untouched(t, dir, func() {
				s := opened(t, path)
				fill(t, s, production)
				filled(t, s, production)
				if problem := s.Problem(); problem == nil || !strings.Contains(problem.Error(), stranger.Says) {
					t.Errorf("problem: %v", problem)
				}
				must(t, s.Close())
			})
		})
	}
}

func TestAReadOnlyFileIsReadIntoMemory(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("nothing is read-only for root")
	}
	path := filepath.Join(t.TempDir(), "tonne.db")
	s := Open(path)
	fill(t, s, production)
	must(t, s.Close())
	must(t, os.Chmod(path, 0o400))
	must(t, os.Chmod(filepath.Dir(path), 0o500))
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o700) })
	again := opened(t, path)
	filled(t, again, production)
	if again.Problem() == nil {
		t.Error("nothing is said")
	}
}

// TestAFileThatFailsInMidRunIsCarriedOnInMemory lets a file become unusable
// after it was opened: what it held is still there.
func TestAFileThatFailsInMidRunIsCarriedOnInMemory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ setting, says string }{
		"full":      {"PRAGMA max_page_count = 1", "the disk is full"},
		"read-only": {"PRAGMA query_only = ON", "it cannot be written"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := fresh(t)
			fill(t, s, production)
			must(t, run(s.conn, c.setting))
			filled(t, s, production)
			for i := 0; s.Problem() == nil && i < 100; i++ {
				must(t, s.Of(production).Ledger.SetLabel(t.Context(), "00m1", strings.Repeat("x", 5000*i), noon))
			}
			if problem := s.Problem(); problem == nil || !strings.Contains(problem.Error(), c.says) {
				t.Fatalf("problem: %v", problem)
			}
			must(t, s.Of(production).Ledger.SetLabel(t.Context(), "00m1", "Q3 flights", noon))
			filled(t, s, production)
		})
	}
}

func TestAMemoryAfterAProblemOutlivesClosing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tonne.db")
	write(t, path, []byte(strings.Repeat("not a database. ", 1000)))
	s := Open(path)
	fill(t, s, production)
	must(t, s.Close())
	fill(t, s, production)
	filled(t, s, production)
	must(t, s.Close())
}
