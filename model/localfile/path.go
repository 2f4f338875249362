package localfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"tonne/model/atomicfile"
)

// Expand returns the path that a person typed, with ~ as the home directory.
func Expand(typed string) (string, error) {
	path := strings.TrimSpace(typed)
	if path == "" {
		return "", errors.New("type a path")
	}
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("the home directory is not known")
		}
		path = filepath.Join(home, rest)
	}
	return filepath.Clean(path), nil
}

// Downloads returns the usual directory for saved files, or else the working one.
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

// Machine is the files of this machine, for a part of the program that must not reach
// them by itself.
type Machine struct{}

// Downloads is Downloads.
func (Machine) Downloads() string { return Downloads() }

// Expand is Expand.
func (Machine) Expand(typed string) (string, error) { return Expand(typed) }

// Read is Read.
func (Machine) Read(path string, largest int64) ([]byte, error) { return Read(path, largest) }

// SHA256 is SHA256.
func (Machine) SHA256(path string) (string, error) { return SHA256(path) }

// Create writes a new private file, whole or not at all. The error is fs.ErrExist if there
// is a file, and does not name the path.
func (Machine) Create(path string, content []byte) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return Plain(err)
	}
	defer root.Close()
	return Plain(atomicfile.Create(root, filepath.Base(path), content))
}
