package api

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxCertificateName leaves room for the ending in what file systems accept.
const maxCertificateName = 200

// certificateName returns a file name, without its ending, that stands for the
// id and no other: whatever is no letter, digit, hyphen or underscore is
// written as %XX.
func certificateName(id string) (string, error) {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' && i > 0
		if plain {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() == 0 || b.Len() > maxCertificateName {
		return "", refused("the id is too long or empty, no file can be named after it")
	}
	return b.String(), nil
}

// saveCertificate writes content to a file of dir that nothing else has, and
// gives it its name when it is whole.
func saveCertificate(dir, name string, content []byte) (Certificate, error) {
	certificate, ending, err := describe(content)
	if err != nil {
		return Certificate{}, err
	}
	name += ending
	certificate.Path = filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Certificate{}, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Certificate{}, err
	}
	defer root.Close()
	switch _, err := root.Lstat(name); {
	case err == nil:
		return certificate, sameContent(root, name, content)
	case !errors.Is(err, fs.ErrNotExist):
		return Certificate{}, err
	}
	if err := writeWhole(root, name, content); err != nil {
		return Certificate{}, err
	}
	return certificate, nil
}

func sameContent(root *os.Root, name string, content []byte) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() && info.Size() == int64(len(content)) {
		if there, err := root.ReadFile(name); err == nil && bytes.Equal(there, content) {
			return nil
		}
	}
	e := refused("a file " + name + " is there already and holds something else")
	e.Err = fs.ErrExist
	return e
}

// writeWhole writes a temporary file and renames it. Nothing stays behind when
// it fails.
func writeWhole(root *os.Root, name string, content []byte) (err error) {
	temporary := ".tonne-" + rand.Text()
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temporary)
		}
	}()
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return root.Rename(temporary, name)
}
