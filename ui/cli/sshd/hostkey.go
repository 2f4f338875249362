package sshd

import (
	"cmp"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"

	"tonne/model/atomicfile"
)

// ErrReadable is returned for a host key that others than its owner may read.
var ErrReadable = errors.New("others than its owner may read it")

// HostKey reads the key by which people know the server, or makes it, once, in a
// file that its owner alone can read.
func HostKey(path string) (key ssh.Signer, made bool, err error) {
	text, err := readSecret(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeHostKey(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, false, err
		}
		made = true
		text, err = readSecret(path)
	}
	if err != nil {
		return nil, false, err
	}
	key, err = ssh.ParsePrivateKey(text)
	if err != nil {
		return nil, false, fmt.Errorf("%s is no private key without a passphrase", path)
	}
	return key, made, nil
}

// largestHostKey is the largest file that is read, in bytes.
const largestHostKey = 64 << 10

func readSecret(path string) ([]byte, error) {
	return readGuarded(path, readableByOthers, ErrReadable, largestHostKey)
}

// readGuarded reads the beginning of a file, up to a number of bytes. It returns
// refusal for one that is open to others.
func readGuarded(path string, open func(fs.FileInfo) bool, refusal error, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case open(info):
		return nil, fmt.Errorf("%s: %w", path, refusal)
	}
	return io.ReadAll(io.LimitReader(file, most))
}

func makeHostKey(path string) error {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	block, err := ssh.MarshalPrivateKey(private, "tonne share")
	if err != nil {
		return err
	}
	dir, name := filepath.Split(filepath.Clean(path))
	dir = cmp.Or(dir, ".")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return atomicfile.Create(root, name, pem.EncodeToMemory(block))
}
