package dbfiletest_test

import (
	"os"
	"path/filepath"
	"testing"

	"tonne/model/file/dbfile/dbfiletest"
	must "tonne/model/musttest"
)

func TestStrangersAreFilesThatStayUntouched(t *testing.T) {
	t.Parallel()
	for name, stranger := range dbfiletest.Strangers() {
		dir := t.TempDir()
		path := filepath.Join(dir, "stranger.db")
		stranger.Make(t, path)
		dbfiletest.Untouched(t, dir, func() { must.Get(os.Lstat(path)) })
		must.Hold(t, stranger.Says != "", name)
	}
}
