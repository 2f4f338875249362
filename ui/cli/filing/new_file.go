package filing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"tonne/api/audit"
	"tonne/model/localfile"
	"tonne/ui/cli/command"
)

// CheckNew checks the path of a flag that is named after its file name extension. The file
// must have that extension, must not exist and must be writable. An empty path is valid.
func CheckNew(flag, path string) error {
	if path == "" {
		return nil
	}
	if !strings.HasSuffix(strings.ToLower(path), "."+flag) {
		return command.Usage("name a file that ends in ."+flag, "--%s: %q does not end in .%s", flag, path, flag)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return command.Failed("move the file away, or name another", "%s already exists", path)
	}
	return audit.CheckPlace(path)
}

// WriteNew writes a new file in the format of its extension. What names its content. An empty path
// writes nothing.
func WriteNew(path, what string, encode func(path string) ([]byte, error)) error {
	if path == "" {
		return nil
	}
	content, err := encode(path)
	if err != nil {
		return fmt.Errorf("%s was not written: %w", what, err)
	}
	if err := (localfile.Machine{}).Create(path, content); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
