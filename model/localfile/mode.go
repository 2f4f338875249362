package localfile

import (
	"fmt"
	"io/fs"
	"os"
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

// CheckMode returns a *ModeError if every user can write a file, or create and delete files in
// a directory. Its group may, since a umask of 002 is common. A missing path is no error, nor is
// a directory like /tmp, in which users can delete only their own files.
func CheckMode(path string) error {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" {
		return nil
	}
	mode := info.Mode()
	if mode.Perm()&0o002 == 0 || mode.IsDir() && mode&fs.ModeSticky != 0 {
		return nil
	}
	return &ModeError{path, mode}
}
