package localfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// ModeError is returned for a file or a directory that every user of the machine can change.
type ModeError struct {
	Path string
	Mode fs.FileMode
}

// Error states the mode.
func (e *ModeError) Error() string {
	return fmt.Sprintf("%s can be changed by every user (mode %04o)", e.Path, e.Mode.Perm())
}

// Chmod returns the command that corrects the mode.
func (e *ModeError) Chmod() string { return "chmod o-w " + e.Path }

// CheckMode returns a *ModeError if every user can write a file, or create files in a
// directory. Its group may, since a umask of 002 is common. A missing path is no error.
func CheckMode(path string) error { return checkMode(path, 0) }

// CheckDirOf is like CheckMode for the directory of an existing file. It accepts a directory
// like /tmp, in which users can replace only their own files.
func CheckDirOf(path string) error { return checkMode(filepath.Dir(path), fs.ModeSticky) }

func checkMode(path string, accepted fs.FileMode) error {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o002 == 0 || info.Mode()&accepted != 0 {
		return nil
	}
	return &ModeError{path, info.Mode()}
}
