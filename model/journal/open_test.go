package journal

import (
	"path/filepath"
	"sync"
	"testing"
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
