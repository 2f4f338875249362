package retirement

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"tonne/ui/effect"
)

// expand returns the path that a person typed: blanks at its ends do not
// count, and ~ is the home directory.
func expand(typed string) (string, error) {
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

// findDirectory finds where files are saved unless the person says otherwise:
// the first of these that is there.
func (t *Tab) findDirectory() effect.Effect {
	if t.directory != "" {
		return nil
	}
	return effect.Work(func(context.Context) any {
		found, _ := os.Getwd()
		candidates := []string{xdg.UserDirs.Download}
		if home, err := os.UserHomeDir(); err == nil {
			candidates = append(candidates, filepath.Join(home, "Downloads"))
		}
		for _, path := range candidates {
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				found = path
				break
			}
		}
		return directoryFound(found)
	})
}

// directoryFound is where files are saved unless the person says otherwise.
type directoryFound string
