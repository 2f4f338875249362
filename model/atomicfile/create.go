package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
)

// Create writes a new private file, whole or not at all. The error is fs.ErrExist if
// anything has that name, also if it came meanwhile.
func Create(root *os.Root, name string, data []byte) error {
	temporary := ".tonne-" + rand.Text()
	if err := writeExclusive(root, temporary, data); err != nil {
		return err
	}
	// A rename would replace what has the name: a second name does not.
	err := root.Link(temporary, name)
	if removed := root.Remove(temporary); err == nil {
		return removed
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// Some file systems, those of memory cards for one, have no second names.
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
