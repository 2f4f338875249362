package journal

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// The first batch of a machine may be started twice in the same moment.
func TestProgramsThatOpenANewJournalAtOnceAllOpenIt(t *testing.T) {
	t.Parallel()
	for range 12 {
		path := filepath.Join(t.TempDir(), "journal.db")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				j, err := Open(t.Context(), path)
				if err != nil {
					t.Error(err)
					return
				}
				if err := j.Close(); err != nil {
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
	j, err := Open(t.Context(), path)
	must(t, err)
	must(t, j.Prepare(newCall("a-1")))
	must(t, j.Close())
	before := time.Unix(1_790_000_000, 0)
	must(t, os.Chtimes(path, before, before))
	j, err = Open(t.Context(), path)
	must(t, err)
	if calls, err := j.Unsettled(desk); len(calls) != 1 || err != nil {
		t.Errorf("%v, %v", calls, err)
	}
	must(t, j.Close())
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(before) {
		t.Errorf("it was written at %v, %v", info.ModTime(), err)
	}
}
