package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
)

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
