// Package pdftext reads the text of a PDF that came from elsewhere, for a
// look at it in a terminal. It reads what most programs write and no more, and
// nothing that is in a file makes it take long or use much memory: each loop
// goes forward in the file, and all that is unpacked counts against a budget.
package pdftext

import (
	"bytes"
	"errors"
)

var (
	// ErrEncrypted is returned for a PDF that is protected by a password.
	ErrEncrypted = errors.New("the PDF is protected by a password")
	// ErrUnreadable is returned for a file that is no PDF, is damaged, or is
	// written in a way that is not understood here.
	ErrUnreadable = errors.New("the PDF cannot be read here")
)

const (
	// budget is how many bytes are unpacked of one file.
	budget = 8 << 20
	// mostPages is how many pages are read, mostLetters how many characters
	// of each.
	mostPages   = 50
	mostLetters = 20_000
)

// Text is the text of a PDF.
type Text struct {
	// Pages holds the lines of the first pages, from the top. A page that
	// shows only pictures has none. Lines hold no control characters.
	Pages [][]string
	// Total is how many pages there are.
	Total int
}

// Read returns the text of a PDF. The error is ErrEncrypted or ErrUnreadable.
func Read(content []byte) (Text, error) {
	if !bytes.HasPrefix(content, []byte("%PDF-")) {
		return Text{}, ErrUnreadable
	}
	if bytes.Contains(content, []byte("/Encrypt")) {
		return Text{}, ErrEncrypted
	}
	f := newFile(content)
	pages := f.pages()
	if len(pages) == 0 {
		return Text{}, ErrUnreadable
	}
	text := Text{Total: len(pages)}
	for _, p := range pages[:min(len(pages), mostPages)] {
		text.Pages = append(text.Pages, layOut(f.letters(p)))
	}
	return text, nil
}
