// Package pdftext reads the text of a PDF that came from elsewhere. Whatever
// the file contains, reading it takes at most two seconds of processor time and
// 64 MiB of memory, and ends with its context. Pictures are not shown: they are
// opened in another program.
//
// A PDF is read by poppler's pdftotext in a process of its own. On Unix its
// processor time is limited, on Linux and the BSDs its memory too; macOS has no
// limit of memory that holds, and Windows none but on how long it takes.
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
)

// Content is what a file shows.
type Content struct {
	// Media is what the file is by its content, such as application/pdf.
	Media string
	// Size is how long the file is, in bytes.
	Size int64
	// Pages are the lines of each page, fit for a terminal.
	Pages [][]string
	// Cut says that there is more text, or may be.
	Cut bool
}

var (
	// ErrNoReader says that pdftotext is not installed.
	ErrNoReader = errors.New("the text of a PDF is shown here once poppler's pdftotext is installed")
	// ErrUnreadable says that there is no text that could be read.
	ErrUnreadable = errors.New("no text could be read from the PDF: it may hold pictures only, be encrypted, damaged or too large")
	// ErrDamaged says that a PDF cannot even be opened.
	ErrDamaged = errors.New("no text could be read from the PDF: it is damaged, cut off or encrypted")
	// ErrPicture is returned for a picture, which has no text.
	ErrPicture = errors.New("the certificate is a picture, which has no text to show")
	// ErrTooLong says that a file was given up on.
	ErrTooLong = errors.New("reading it takes too much time or memory to be shown here")
	// ErrOther says that a file is neither a PDF nor a picture.
	ErrOther = errors.New("it is neither a PDF nor a picture in PNG or JPEG")
)

// Reader reads files. The zero value is ready.
type Reader struct {
	// PDFToText is the program that reads a PDF; where it is empty, pdftotext
	// is looked for in PATH.
	PDFToText string
	limits    limits
}

// limits bound what reading one file takes. What is zero is the usual limit.
type limits struct {
	// cpu is the processor time of a program, in seconds, and patience how
	// long it may take.
	cpu      int
	patience time.Duration
	// text is how much of its text is read, in bytes.
	text int
}

func (l limits) orUsual() limits {
	l.cpu = cmp.Or(l.cpu, 2)
	l.patience = cmp.Or(l.patience, usualPatience)
	l.text = cmp.Or(l.text, 256<<10)
	return l
}

// Read reads a regular file from its beginning. Where that fails, Media and
// Size are known if the file can be read at all. The error is one of those
// above, that of the context or one of the file system.
func (r Reader) Read(ctx context.Context, file *os.File) (Content, error) {
	info, err := file.Stat()
	if err != nil {
		return Content{}, err
	}
	start := make([]byte, 512)
	n, err := file.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return Content{}, err
	}
	c := Content{Media: http.DetectContentType(start[:n]), Size: info.Size()}
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
