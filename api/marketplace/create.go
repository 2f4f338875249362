package marketplace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// files are paths that were made for a new database, outermost first.
type files []string

// remove takes them away again. A directory that somebody else has used since
// stays.
func (f files) remove() {
	for _, path := range slices.Backward(f) {
		_ = os.Remove(path)
	}
}

// createPrivate makes sure that the file exists and that only its owner can
// read it. SQLite gives the files beside it the same mode. It returns what was
// not there before.
func createPrivate(path string) (info os.FileInfo, made files, err error) {
	dir := filepath.Dir(path)
	made = missing(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, made, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err == nil:
		made = append(made, path, path+"-journal", path+"-wal", path+"-shm")
	case errors.Is(err, fs.ErrExist):
		if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return nil, made, err
		}
	default:
		return nil, made, err
	}
	info, err = f.Stat()
	return info, made, errors.Join(err, f.Chmod(0o600), f.Close())
}

// missing are the directories on the way to dir that are not there.
func missing(dir string) files {
	var none files
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			slices.Reverse(none)
			return none
		}
		none = append(none, dir)
		dir = filepath.Dir(dir)
	}
}
