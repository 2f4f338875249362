// Package pdftext reads the text of untrusted PDF files. Reading takes at most two
// seconds of processor time and 64 MiB of memory for any input, and stops when its
// context ends. It does not show pictures. Start reading at Reader.Read.
//
// Poppler's pdftotext does the work in a separate process. Unix limits its processor
// time; Linux and the BSDs also limit its memory, which macOS does not enforce. Windows
// limits only the elapsed time.
package pdftext

import (
	"cmp"
	"context"
	"errors"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"tonne/model/retirement"
)

// Content is the text of a file.
type Content struct {
	// Media is the media type, detected from the content, such as application/pdf.
	Media string
	// Size is the size of the file in bytes.
	Size int64
	// Pages are the lines of each page, sanitised for a terminal.
	Pages [][]string
	// Cut means that there may be more text.
	Cut bool
}

var (
	// ErrNoReader is returned if pdftotext is not installed.
	ErrNoReader = errors.New("cannot show the text of a PDF: poppler's pdftotext is not installed")
	// ErrUnreadable is returned for a PDF without readable text.
	ErrUnreadable = errors.New("the PDF has no readable text: it may contain only pictures, or be damaged or too large")
	// ErrDamaged is returned for a PDF that pdftotext cannot open.
	ErrDamaged = errors.New("the PDF cannot be opened: it is damaged or truncated")
	// ErrEncrypted is returned for a PDF that needs a password.
	ErrEncrypted = errors.New("the PDF is encrypted")
	// ErrPicture is returned for a picture, which has no text.
	ErrPicture = errors.New("the certificate is a picture, which has no text to show")
	// ErrTooLong is returned if reading exceeds a limit.
	ErrTooLong = errors.New("reading the file takes too much time or memory")
	// ErrOther is returned for a file that is neither a PDF nor a picture.
	ErrOther = errors.New("the file is neither a PDF nor a PNG or JPEG picture")
)

// Reader reads files. The zero value is ready.
type Reader struct {
	// PDFToText is the path of pdftotext. If it is empty, pdftotext is searched in PATH.
	PDFToText string
	limits    limits
}

// limits are the limits for one file. Zero means the default.
type limits struct {
	// cpu limits the processor time of the program in seconds, and patience the elapsed time.
	cpu      int
	patience time.Duration
	// text limits the text that is read, in bytes.
	text int
}

func (l limits) orUsual() limits {
	l.cpu = cmp.Or(l.cpu, 2)
	l.patience = cmp.Or(l.patience, usualPatience)
	l.text = cmp.Or(l.text, 256<<10)
	return l
}

// Read reads a regular file from its beginning. If it fails, Media and Size are still set
// if the file is readable. The error is one of the errors above, ctx.Err() or an error of
// the file system.
func (r Reader) Read(ctx context.Context, file *os.File) (Content, error) {
	info, err := file.Stat()
	if err != nil {
		return Content{}, err
	}
	start := make([]byte, retirement.PDFHeaderWithin)
	n, err := file.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return Content{}, err
	}
	media := cmp.Or(retirement.CertificateMedia(start[:n]), http.DetectContentType(start[:n]))
	c := Content{Media: media, Size: info.Size()}
	switch {
	case c.Media == "application/pdf":
		c.Pages, c.Cut, err = r.readPDF(ctx, file)
	case strings.HasPrefix(c.Media, "image/"):
		if err = ErrOther; isPicture(file, c.Size) {
			err = ErrPicture
		}
	default:
		err = ErrOther
	}
	return c, err
}

func isPicture(file io.ReaderAt, size int64) bool {
	_, _, err := image.DecodeConfig(io.NewSectionReader(file, 0, min(size, 1<<20)))
	return err == nil
}
