package retirement

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/ledongthuc/pdf"
)

const (
	// pdfTime is how long a PDF may take to be read. It came from elsewhere
	// and may be made to take for ever.
	pdfTime = 3 * time.Second
	// mostPages and mostText limit what is shown of one.
	mostPages = 50
	mostText  = 1 << 20
)

// pdfPages is the text of a PDF, page by page.
type pdfPages struct {
	text []string
	// total is how many pages there are: those beyond text are not shown.
	total int
}

var errNoText = errors.New("the PDF cannot be read here")

// readPDF returns the text of a PDF that came from elsewhere. The error says
// that it cannot be read, not why: the file may well be fine.
func readPDF(content []byte) (pages pdfPages, err error) {
	// The reader panics where a file is not as it should be.
	defer func() {
		if recover() != nil {
			pages, err = pdfPages{}, errNoText
		}
	}()
	source := &deadlineReader{bytes.NewReader(content), time.Now().Add(pdfTime)}
	reader, err := pdf.NewReader(source, int64(len(content)))
	if err != nil {
		return pdfPages{}, fmt.Errorf("%w: it is damaged, or protected by a password", errNoText)
	}
	pages.total = reader.NumPage()
	size := 0
	for n := 1; n <= min(pages.total, mostPages) && size < mostText; n++ {
		text, err := reader.Page(n).GetPlainText(nil)
		if err != nil {
			return pages, nil
		}
		text = text[:min(len(text), mostText)]
		size += len(text)
		pages.text = append(pages.text, tidy(text))
	}
	return pages, nil
}

// deadlineReader fails once its time is over, which ends whoever reads it.
type deadlineReader struct {
	*bytes.Reader
	until time.Time
}

// ReadAt reads unless the time is over.
func (d *deadlineReader) ReadAt(p []byte, at int64) (int, error) {
	if time.Now().After(d.until) {
		return 0, errNoText
	}
	return d.Reader.ReadAt(p, at)
}

// tidy leaves out empty lines and what is not shown.
func tidy(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		line = strings.Map(func(r rune) rune {
			if unicode.IsGraphic(r) {
				return r
			}
			return -1
		}, strings.ToValidUTF8(line, "�"))
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
