package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// inTheWay are things that may take the name of a file while it is written.
var inTheWay = map[string]func(path string) error{
	"a file":            func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
	"a directory":       func(path string) error { return os.Mkdir(path, 0o700) },
	"a dead link":       func(path string) error { return os.Symlink("nowhere", path) },
	"a link to outside": func(path string) error { return os.Symlink(os.TempDir(), path) },
}

func TestWhatTakesTheNameWhileAFileIsWrittenIsNotReplaced(t *testing.T) {
	t.Parallel()
	for name, appear := range inTheWay {
		for how, write := range map[string]func(*os.Root, string, []byte) error{"whole": Create, "without second names": writeExclusive} {
			dir := t.TempDir()
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			path := filepath.Join(dir, "file")
			// The name was free when it was looked at: this is what comes
			// between that and the end of writing.
			if err := appear(path); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := write(root, "file", []byte("new")); !errors.Is(err, fs.ErrExist) {
				t.Errorf("%s, %s: error is %v", name, how, err)
			}
			if after, err := os.Lstat(path); err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
				t.Errorf("%s was replaced, %s", name, how)
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 1 {
				t.Errorf("%s, %s: %v is left", name, how, entries)
			}
		}
	}
}
