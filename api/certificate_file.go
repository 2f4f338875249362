package api

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"tonne/model"
	"tonne/model/atomicfile"
)

// maxCertificateName leaves room for the ending in what file systems accept.
const maxCertificateName = 200

func certificateName(id string) (string, error) {
	name := model.FileName(id)
	if name == "" || len(name) > maxCertificateName {
		return "", refused("the id is too long or empty, no file can be named after it")
	}
	return name, nil
}

// saveCertificate writes content to a file of dir that nothing else has, and
// gives it its name when it is whole. Whatever has that name already stays as
// it is: the same content is no error, anything else is.
func saveCertificate(dir, name string, content []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = atomicfile.Create(root, name, content)
	} else if err == nil {
		err = fs.ErrExist
	}
	if errors.Is(err, fs.ErrExist) {
		return sameContent(root, name, content)
	}
	return err
}

// sameContent returns an error unless name is a file with this content, which
// is looked at through one handle: another program may replace it meanwhile.
func sameContent(root *os.Root, name string, content []byte) error {
	different := refused("a file " + name + " is there already and holds something else")
	different.Err = fs.ErrExist
	named, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !named.Mode().IsRegular() {
		return different
	}
	// A pipe that has taken the file's place must not be waited for.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return different
	}
	defer file.Close()
	if opened, err := file.Stat(); err != nil || !os.SameFile(named, opened) {
		return different
	}
	there, err := io.ReadAll(io.LimitReader(file, int64(len(content))+1))
	if err != nil || !bytes.Equal(there, content) {
		return different
	}
	return nil
}
