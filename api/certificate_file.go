package api

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"tonne/model"
	"tonne/model/atomicfile"
	"tonne/model/localfile"
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

// saveCertificate writes content to a temporary file of dir and renames it when
// it is complete. An existing file of that name is kept: with the same content
// that is no error.
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

func sameContent(root *os.Root, name string, content []byte) error {
	if named, err := root.Lstat(name); err == nil && named.Mode().IsRegular() {
		there, err := localfile.Read(filepath.Join(root.Name(), name), int64(len(content)))
		if err == nil && bytes.Equal(there, content) {
			return nil
		}
	}
	different := refused("a file " + name + " is there already and holds something else")
	different.Err = fs.ErrExist
	return different
}
