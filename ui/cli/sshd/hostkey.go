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

	"tonne/model/file/localfile"
)

// ErrReadable is returned for a host key that users other than its owner may read.
var ErrReadable = errors.New("readable by users other than its owner")

// HostKey reads the private key of the server, and creates it if the file does not exist.
func HostKey(path string) (key ssh.Signer, created bool, err error) {
	text, err := readProtected(path, 0o077, ErrReadable)
	if errors.Is(err, fs.ErrNotExist) {
		if err := createHostKey(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, false, err
		}
		created = true
		text, err = readProtected(path, 0o077, ErrReadable)
	}
	if err != nil {
		return nil, false, err
	}
	key, err = ssh.ParsePrivateKey(text)
	if err != nil {
		return nil, false, fmt.Errorf("%s is not a private key, or it has a passphrase", path)
	}
	return key, created, nil
}

// readProtected returns refusal if the file has any permission of mask.
func readProtected(path string, mask fs.FileMode, refusal error) ([]byte, error) {
	file, err := localfile.Open(path, localfile.LargestSettings)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
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

func createHostKey(path string) error {
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
