package sshd

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/crypto/ssh"

	"tonne/model/localfile"
)

// ErrReadable is returned for a host key that others than its owner may read.
var ErrReadable = errors.New("others than its owner may read it")

// HostKey reads the private key of the server, and makes one if there is no file.
func HostKey(path string) (key ssh.Signer, made bool, err error) {
	text, err := readProtected(path, 0o077, ErrReadable)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeHostKey(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, false, err
		}
		made = true
		text, err = readProtected(path, 0o077, ErrReadable)
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

// readProtected returns refusal if others have permissions among mask.
func readProtected(path string, mask fs.FileMode, refusal error) ([]byte, error) {
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
	if runtime.GOOS != "windows" && info.Mode().Perm()&mask != 0 {
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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return localfile.Machine{}.Create(path, pem.EncodeToMemory(block))
}
