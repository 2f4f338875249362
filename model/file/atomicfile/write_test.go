package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	must "tonne/model/musttest"
)

func TestAFileIsReplacedWholeWithItsMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"before", "after"} {
		must.Succeed(t, WriteFile(path, []byte(text), 0o600))
		must.Equal(t, string(must.Get(os.ReadFile(path))), text)
	}
	info := must.Get(os.Stat(path))
	must.Hold(t, runtime.GOOS == "windows" || info.Mode().Perm() == 0o600, info.Mode())
}

func TestAFailureLeavesTheOldFileAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	must.Succeed(t, WriteFile(path, []byte("before"), 0o600))
	full := errors.New("disk full")
	err := Write(path, 0o600, func(w io.Writer) error {
		_, _ = w.Write([]byte("half"))
		return full
	})
	must.Fail(t, err, full)
	got, _ := os.ReadFile(path)
	must.Hold(t, string(got) == "before", got)
	entries, _ := os.ReadDir(dir)
	must.Hold(t, len(entries) == 1, len(entries))
}

// inTheWay are things that may take the name of a file while it is written.
var inTheWay = map[string]func(path string) error{
	"a file":            func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
	"a directory":       func(path string) error { return os.Mkdir(path, 0o700) },
	"a dead link":       func(path string) error { return os.Symlink("nowhere", path) },
	"a link to outside": func(path string) error { return os.Symlink(os.TempDir(), path) },
}

func TestWhatTakesTheNameWhileAFileIsWrittenIsNotReplaced(t *testing.T) {
	for name, appear := range inTheWay {
		for how, write := range map[string]func(*os.Root, string, []byte) error{"whole": Create,
			"without second names": writeExclusive} {
			dir := t.TempDir()
			root := must.Get(os.OpenRoot(dir))
			defer root.Close()
			path := filepath.Join(dir, "file")
			// The name was free when it was looked at: this is what comes
			// between that and the end of writing.
			must.Succeed(t, appear(path))
			before := must.Get(os.Lstat(path))
			must.Fail(t, write(root, "file", []byte("new")), fs.ErrExist, name, how)
			after := must.Get(os.Lstat(path))
			must.Hold(t, os.SameFile(before, after) && after.ModTime().Equal(before.ModTime()), name, how)
			entries, _ := os.ReadDir(dir)
			must.Hold(t, len(entries) == 1, name, how, entries)
		}
	}
}
