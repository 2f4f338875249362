package retire

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// The first batch of a machine may be started twice in the same moment.
func TestProgramsThatOpenANewJournalAtOnceAllOpenIt(t *testing.T) {
	t.Parallel()
	for range 12 {
		path := filepath.Join(t.TempDir(), "journal.db")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				j, err := openJournal(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if err := j.close(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

// A dashboard that looks every few seconds tells by the file whether there is
// something new.
func TestWhoOnlyReadsLeavesTheFileAsItIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	j, err := openJournal(t.Context(), path)
	must(t, err)
	must(t, j.prepare(newCall("a-1")))
	must(t, j.close())
	before := time.Unix(1_790_000_000, 0)
	must(t, os.Chtimes(path, before, before))
	j, err = openJournal(t.Context(), path)
	must(t, err)
	if calls, err := j.unsettled(desk); len(calls) != 1 || err != nil {
		t.Errorf("%v, %v", calls, err)
	}
	must(t, j.close())
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(before) {
		t.Errorf("it was written at %v, %v", info.ModTime(), err)
	}
}

// A journal that lost its content would let every call that it knew be sent again
// under a new id.
func TestJournalWithLostContentIsRefused(t *testing.T) {
	t.Parallel()
	for name, empty := range map[string]func(path string) error{
		"deleted":    os.Remove,
		"zero bytes": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"zero bytes and a log": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.WriteFile(path+"-wal", []byte("log"), 0o600))
		},
		"no tables": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
			return errors.Join(err, sqlitex.ExecuteTransient(conn, "VACUUM", nil), conn.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "journal.db")
			j, err := openJournal(t.Context(), path)
			must(t, err)
			attempt, err := j.start(newCall("a-1"))
			must(t, err)
			must(t, attempt.end(ending{State: Done, RequestID: "00m1"}))
			must(t, j.close())
			must(t, empty(path))
			before, err := os.ReadDir(filepath.Dir(path))
			must(t, err)
			if j, err := openJournal(t.Context(), path); !errors.Is(err, ErrEmptied) || !strings.Contains(err.Error(), path) {
				t.Errorf("%v, %v", j, err)
			}
			if after, err := os.ReadDir(filepath.Dir(path)); err != nil || len(after) != len(before) {
				t.Errorf("%v became %v, %v", before, after, err)
			}
		})
	}
}

func TestAnEmptyFileThatNoCallWasSentWithBecomesAJournal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "journal.db")
	must(t, os.WriteFile(path, nil, 0o600))
	j, err := openJournal(t.Context(), path)
	must(t, err)
	must(t, j.prepare(newCall("a-1")))
	must(t, j.close())
}
