// Package localfile reads and creates files whose paths the user typed. It limits their size, and refuses
// devices and pipes, which could block forever. It also expands paths. Start reading at Read.
package localfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/adrg/xdg"

	"tonne/model/file/atomicfile"
)

// ErrNotRegular is returned for a directory, a device or a pipe.
var ErrNotRegular = errors.New("it is not a file")

// TooLargeError is returned for a file that is larger than this number of bytes.
type TooLargeError int64

// Error states the limit in MiB.
func (e TooLargeError) Error() string { return fmt.Sprintf("it is larger than %d MiB", int64(e)>>20) }

// Open opens a regular file of at most largest bytes. The error is a sentence that can follow
// the name of the file.
func Open(path string, largest int64) (*os.File, error) {
	// Opening a device may already have an effect.
	if err := checkRegular(largest)(os.Stat(path)); err != nil {
		return nil, err
	}
	return openChecked(path, largest)
}

// openChecked opens a path without waiting for a pipe, and checks the open file, because the
// file may have been replaced since the first check.
func openChecked(path string, largest int64) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Plain(err)
	}
	if err := checkRegular(largest)(file.Stat()); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

func checkRegular(largest int64) func(info os.FileInfo, err error) error {
	return func(info os.FileInfo, err error) error {
		switch {
		case err != nil:
			return Plain(err)
		case !info.Mode().IsRegular():
			return ErrNotRegular
		case info.Size() > largest:
			return TooLargeError(largest)
		}
		return nil
	}
}

// Copy copies a file of at most largest bytes to w. The limit also applies if the file grows
// meanwhile.
func Copy(w io.Writer, path string, largest int64) error {
	file, err := Open(path, largest)
	if err != nil {
		return err
	}
	defer file.Close()
	n, err := io.Copy(w, io.LimitReader(file, largest+1))
	if err == nil && n > largest {
		return TooLargeError(largest)
	}
	return Plain(err)
}

// LargestSettings is the maximum size of a settings file, in bytes.
const LargestSettings = 1 << 20

// Settings returns the contents of a settings file.
func Settings(path string) ([]byte, error) { return Read(path, LargestSettings) }

// Read returns the contents of a file of at most largest bytes.
func Read(path string, largest int64) ([]byte, error) {
	var content bytes.Buffer
	err := Copy(&content, path, largest)
	return content.Bytes(), err
}

const largestHashed = 256 << 20

// SHA256 returns the hash of a file of at most 256 MiB, in hexadecimal.
func SHA256(path string) (string, error) {
	hash := sha256.New()
	if err := Copy(hash, path, largestHashed); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Plain removes the operation and the path from an error.
func Plain(err error) error {
	if at, ok := errors.AsType[*os.PathError](err); ok {
		return at.Err
	}
	return err
}

// Machine has the files of this machine, for parts of the program that must not access files
// directly.
type Machine struct{}

// Expand replaces ~ at the start of a typed path by the home directory.
func (Machine) Expand(typed string) (string, error) {
	path := strings.TrimSpace(typed)
	if path == "" {
		return "", errors.New("type a path")
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("the home directory is unknown")
		}
		path = filepath.Join(home, rest)
	}
	return filepath.Clean(path), nil
}

// Downloads returns the user's download directory, or the working directory if there is none.
func (Machine) Downloads() string {
	candidates := []string{xdg.UserDirs.Download}
	if home, err := os.UserHomeDir(); err == nil {
		candidates = append(candidates, filepath.Join(home, "Downloads"))
	}
	for _, path := range candidates {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
	}
	here, _ := os.Getwd()
	return here
}

// Read calls the function Read.
func (Machine) Read(path string, largest int64) ([]byte, error) { return Read(path, largest) }

// SHA256 calls the function SHA256.
func (Machine) SHA256(path string) (string, error) { return SHA256(path) }

// Create writes a new private file, or nothing if it fails. The error is fs.ErrExist if the
// file exists. It does not contain the path.
func (Machine) Create(path string, content []byte) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return Plain(err)
	}
	defer root.Close()
	return Plain(atomicfile.Create(root, filepath.Base(path), content))
}
