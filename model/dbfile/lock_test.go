package dbfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"

	"tonne/model/dbfile"
)

func TestAFileIsLockedUntilItsConnectionIsClosed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "market.db-lock")
	for range 2 {
		conn, err := dbfile.Lock(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dbfile.Lock(path, sqlite.OpenReadWrite); sqlite.ErrCode(err).ToPrimary() != sqlite.ResultBusy {
			t.Errorf("a second lock: %v", err)
		}
		closed(t, conn)
		if info, err := os.Stat(path); err != nil || info.Size() != 0 {
			t.Errorf("the file is %+v, %v", info, err)
		}
	}
}
