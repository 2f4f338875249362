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
	"tonne/model/localfile"
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

func readSecret(path string) ([]byte, error) {
	return readGuarded(path, readableByOthers, ErrReadable)
}

func readGuarded(path string, open func(fs.FileInfo) bool, refusal error) ([]byte, error) {
	file, err := localfile.Open(path, localfile.LargestSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if open(info) {
		return nil, fmt.Errorf("%s: %w", path, refusal)
	}
	return io.ReadAll(io.LimitReader(file, localfile.LargestSettings))
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
