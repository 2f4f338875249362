package pdf

import (
	"bytes"
	"errors"

	"tonne/model/retirement"
)

// MaxFile is the maximum size of a registry's certificate, in bytes.
const MaxFile = 8 << 20

var (
	// ErrNotPDF is returned for a file that is not a complete PDF.
	ErrNotPDF = errors.New("it is not a complete PDF")
	// ErrTooLarge is returned for a file larger than MaxFile.
	ErrTooLarge = errors.New("it is larger than 8 MiB")
)

// around is the number of bytes at the end of a file in which PDF readers look for the
// markers.
const around = 1024

// Check checks that a file is a complete PDF of at most MaxFile bytes. The error is ErrNotPDF
// or ErrTooLarge. It reads only the markers at both ends.
func Check(file []byte) error {
	if len(file) > MaxFile {
		return ErrTooLarge
	}
	end := file[max(0, len(file)-around):]
	start := bytes.LastIndex(end, []byte("startxref"))
	if retirement.CertificateMedia(file) != "application/pdf" || start < 0 ||
		!bytes.Contains(end[start:], []byte("%%EOF")) {
		return ErrNotPDF
	}
	return nil
}
