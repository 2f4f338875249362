// Package atomicfile writes files atomically: after a failure or crash, a file is either
// complete or unchanged. WriteFile and Write replace an existing file; Create fails if the
// name exists.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces a file atomically. It syncs a temporary file in the same directory and
// renames it.
func WriteFile(path string, data []byte, mode os.FileMode) error {
	return Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write is WriteFile for content that the caller writes in pieces.
func Write(path string, mode os.FileMode, content func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return Named(path, err)
	}
	defer os.Remove(f.Name()) // fails after the rename
	err = errors.Join(f.Chmod(mode), content(f), f.Sync(), f.Close())
	if err != nil {
		return Named(path, err)
	}
	return Named(path, os.Rename(f.Name(), path))
}

// Named replaces the path of the temporary file in an error by the given path.
func Named(path string, err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: file.Op, Path: path, Err: file.Err}
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: link.Op, Path: path, Err: link.Err}
	}
	return err
}
