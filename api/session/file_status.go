package session

import (
	"errors"
	"io/fs"

	"tonne/model/file/localfile"
)

// FileStatus is the status of the file of a saved certificate.
type FileStatus int8

const (
	// NotVerified: this run has not read the file.
	NotVerified FileStatus = iota
	// Unchanged: its hash equals the recorded one.
	Unchanged
	// Altered: its hash differs from the recorded one.
	Altered
	// Gone: the file does not exist any more.
	Gone
	// Unreadable: the file cannot be read.
	Unreadable
	// Superseded: the file is unchanged, but the service serves another now.
	Superseded
)

// Wrong returns what is wrong with the file, such as "was altered", or "".
func (p FileStatus) Wrong() string {
	switch p {
	case Altered:
		return "was altered"
	case Gone:
		return "is gone"
	case Unreadable:
		return "cannot be read"
	}
	return ""
}

// VerifyFile compares a certificate file with its recorded hash, in hexadecimal. It does not
// open devices or pipes.
func VerifyFile(path, recorded string) FileStatus {
	hash, err := localfile.SHA256(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Gone
	case errors.Is(err, localfile.ErrNotRegular), errors.As(err, new(localfile.TooLargeError)):
		return Altered
	case err != nil:
		return Unreadable
	case hash != recorded:
		return Altered
	}
	return Unchanged
}
