package localfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"tonne/model/file/atomicfile"
)

// Target is a file to write that the user named. It is never replaced, except with Overwrite: the user may have
// signed, sent or filed it.
type Target struct {
	Path string
	// Overwrite replaces an existing file.
	Overwrite bool
}

// ExistsError is returned for a file that exists and is not replaced. It is an fs.ErrExist.
type ExistsError struct{ Path string }

// Error names the file.
func (e *ExistsError) Error() string { return e.Path + " already exists" }

// Is reports whether target is fs.ErrExist.
func (e *ExistsError) Is(target error) bool { return target == fs.ErrExist }

// Check returns an error if the file could not be written, before the work that it takes to make it. It changes
// nothing. The error is an *ExistsError or an *fs.PathError.
func (t Target) Check() error {
	info, err := os.Lstat(t.Path)
	switch {
	case err == nil && info.IsDir():
		return &fs.PathError{Op: "write", Path: t.Path, Err: syscall.EISDIR}
	case err == nil && !t.Overwrite:
		return &ExistsError{t.Path}
	}
	f, err := os.CreateTemp(filepath.Dir(t.Path), ".tonne-*")
	if err != nil {
		return atomicfile.Named(t.Path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write writes the file, private and whole, or nothing if it fails. Without Overwrite it does not replace a file
// that another program created meanwhile either: the error is an *ExistsError.
func (t Target) Write(content func(*os.File) error) error {
	put := atomicfile.Add
	if t.Overwrite {
		put = atomicfile.Put
	}
	err := put(t.Path, 0o600, content)
	if errors.Is(err, fs.ErrExist) {
		return &ExistsError{t.Path}
	}
	return err
}

// WriteBytes is Write for content in memory.
func (t Target) WriteBytes(content []byte) error {
	return t.Write(func(f *os.File) error {
		_, err := f.Write(content)
		return err
	})
}
