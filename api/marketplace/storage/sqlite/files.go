package sqlite

import (
	"errors"
	"io/fs"
	"os"

	"tonne/api/marketplace/storage"
)

// files are the files that a database is kept in, by their paths, as they were
// when it was opened. SQLite goes on with them when their names are gone: what
// is committed then is lost with the process.
type files map[string]os.FileInfo

// add notes the files that are at these paths now.
func (f files) add(paths ...string) error {
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		f[path] = info
	}
	return nil
}

// inPlace returns storage.ErrReplaced where a path does not lead to the file
// any more that was opened.
func (f files) inPlace() error {
	for path, opened := range f {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, opened) {
			return storage.ErrReplaced
		}
		if err != nil {
			return err
		}
	}
	return nil
}
