package localfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
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
