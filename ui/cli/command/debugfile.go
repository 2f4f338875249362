package command

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

var errNoDebugFile = Failed("name a new file", "the debug log must be a regular file: no link, pipe, directory or device")

// OpenDebugFile opens a log to write at its end: a new file for its owner
// alone, or a regular one that nobody else can read or write. A symbolic link
// would have somebody else say where, and a named pipe would wait for a reader.
func OpenDebugFile(path string) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errNoDebugFile
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY|dontWaitOrFollow, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		err = ownersAlone(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// ownersAlone returns why a file that is open must not become the log.
func ownersAlone(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return errNoDebugFile
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return Failed("run `chmod 600 "+path+"`, or name a new file", "others can read the debug log")
	}
	return nil
}
