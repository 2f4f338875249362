package dbfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Made lists the paths that were created for a new database, outermost first.
type Made []string

// Remove deletes the paths, except directories that are not empty.
func (m Made) Remove() {
	for _, path := range slices.Backward(m) {
		_ = os.Remove(path)
	}
}

func create(path string) (made Made, err error) {
	made = missing(filepath.Dir(path))
	defer func() {
		if err != nil {
			made.Remove()
			made = nil
		}
	}()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return made, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if err != nil {
		return made, err
	}
	return append(made, path, path+"-journal", path+"-wal", path+"-shm"), f.Close()
}

func missing(dir string) (none Made) {
	for {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			slices.Reverse(none)
			return none
		}
		none = append(none, dir)
		dir = filepath.Dir(dir)
	}
}
