// Package atomicfile writes files atomically: after a failure or crash, a file is either
// complete or unchanged. WriteFile, Write and Put replace an existing file; Add and Create
// fail if the name exists.
package atomicfile

import (
	"crypto/rand"
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
	return Put(path, mode, func(f *os.File) error { return content(f) })
}

// Put is Write for content that needs the file itself.
func Put(path string, mode os.FileMode, content func(*os.File) error) error {
	return write(path, mode, content, os.Rename)
}

// Add is Put for a new file. The error is fs.ErrExist if the name exists, even if another
// program created it meanwhile.
func Add(path string, mode os.FileMode, content func(*os.File) error) error {
	return write(path, mode, content, link)
}

// link gives a file a second name, which must be new.
func link(from, to string) error {
	// A hard link does not replace an existing file; a rename would.
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// Some file systems, such as those of memory cards, have no hard links.
	reserved, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(reserved.Close(), os.Rename(from, to)); err != nil {
		_ = os.Remove(to)
	}
	return err
}

func write(path string, mode os.FileMode, content func(*os.File) error, name func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return Named(path, err)
	}
	defer os.Remove(f.Name()) // fails after a rename
	err = errors.Join(f.Chmod(mode), content(f), f.Sync(), f.Close())
	if err != nil {
		return Named(path, err)
	}
	return Named(path, name(f.Name(), path))
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

// Create writes a new private file, or nothing if it fails. The error is fs.ErrExist if the
// name exists, even if another program created it meanwhile.
func Create(root *os.Root, name string, data []byte) error {
	temporary := ".tonne-" + rand.Text()
	if err := writeExclusive(root, temporary, data); err != nil {
		return err
	}
	// A hard link does not replace an existing file; a rename would.
	err := root.Link(temporary, name)
	if removed := root.Remove(temporary); err == nil {
		return removed
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// Some file systems, such as those of memory cards, have no hard links.
	return writeExclusive(root, name, data)
}

func writeExclusive(root *os.Root, name string, data []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = root.Remove(name)
	}
	return err
}
