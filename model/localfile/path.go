package localfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"tonne/model/atomicfile"
)

// Expand replaces ~ at the start of a typed path by the home directory.
func Expand(typed string) (string, error) {
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
func Downloads() string {
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

// Machine provides the functions of this package as methods, for parts of the program that
// must not access files directly.
type Machine struct{}

// Downloads calls the function Downloads.
func (Machine) Downloads() string { return Downloads() }

// Expand calls the function Expand.
func (Machine) Expand(typed string) (string, error) { return Expand(typed) }

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
