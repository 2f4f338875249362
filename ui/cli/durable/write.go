// Package durable writes files that are either whole or not there.
package durable

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// WriteFile writes data to path: to a temporary file beside it that is synced
// and then renamed. Readers see the file of before or the new one.
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
		return err
	}
	defer os.Remove(f.Name()) // nothing is left to remove after the rename
	err = errors.Join(f.Chmod(mode), content(f), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
