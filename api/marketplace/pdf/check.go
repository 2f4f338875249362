package pdf

import (
	"bytes"
	"errors"
)

// MaxFile is the largest certificate of a registry that is kept, in bytes.
const MaxFile = 8 << 20

var (
	// ErrNotPDF is returned for a file that is no whole PDF.
	ErrNotPDF = errors.New("it is not a whole PDF")
	// ErrTooLarge is returned for a file beyond MaxFile.
	ErrTooLarge = errors.New("it is larger than 8 MiB")
)

// around is how far from its ends a file may have the marks of a PDF: readers
// look no further.
const around = 1024

// Check looks whether a file is a whole PDF of at most MaxFile bytes. The error
// is ErrNotPDF or ErrTooLarge. What is between its ends is not read.
func Check(file []byte) error {
	if len(file) > MaxFile {
		return ErrTooLarge
	}
	end := file[max(0, len(file)-around):]
	start := bytes.LastIndex(end, []byte("startxref"))
	if !bytes.HasPrefix(file, []byte("%PDF-")) || start < 0 || !bytes.Contains(end[start:], []byte("%%EOF")) {
		return ErrNotPDF
	}
	return nil
}
