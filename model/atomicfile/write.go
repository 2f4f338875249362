// Package atomicfile writes files that are either whole or not there: Write
// replaces what has the name, Create leaves it.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces a file as a whole, by way of a synced temporary file beside it.
func WriteFile(path string, data []byte, mode os.FileMode) error {
	return Write(path, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write is WriteFile for content that is written in pieces.
func Write(path string, mode os.FileMode, content func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return Named(path, err)
	}
	defer os.Remove(f.Name()) // nothing is left to remove after the rename
	err = errors.Join(f.Chmod(mode), content(f), f.Sync(), f.Close())
	if err != nil {
		return Named(path, err)
	}
	return Named(path, os.Rename(f.Name(), path))
}

// Named makes an error of the temporary file tell of the path that was meant.
func Named(path string, err error) error {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: file.Op, Path: path, Err: file.Err}
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: link.Op, Path: path, Err: link.Err}
	}
	return err
}
