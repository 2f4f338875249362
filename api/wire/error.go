package wire

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Error says why a body is not the documented one.
type Error struct {
	// Path names the value, such as projects[3].vintages[0]; it is empty for
	// the body as a whole. Text in it is sanitised.
	Path string
	// Reason is a phrase that follows the path, such as "is not an object".
	Reason string
	// Value is the JSON text of the value, empty if it is missing. It is
	// sanitised, and longer than Error quotes.
	Value string
	// Err is the error of the JSON reader where there was one. Its text may
	// quote the body and is not sanitised.
	Err error
}

// Error returns the path, the reason and the start of the value as a phrase.
func (e *Error) Error() string {
	text := cmp.Or(e.Path, "the answer") + " " + e.Reason
	if e.Value != "" {
		text += ": " + cutOff(e.Value, maxQuoted)
	}
	return text
}

// Unwrap returns the error of the JSON reader.
func (e *Error) Unwrap() error { return e.Err }

// ErrWebPage is wrapped by the error for a body that is HTML or XML.
var ErrWebPage = errors.New("a web page")

// IsWebPage reports whether a body is HTML or XML rather than JSON.
func IsWebPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

const (
	// maxQuoted is how much of a value an error quotes, in bytes. It keeps more,
	// so that a key in it can be removed whole before.
	maxQuoted = 60
	maxKept   = 1 << 10
)

func cutOff(text string, size int) string {
	if len(text) <= size {
		return text
	}
	return strings.ToValidUTF8(text[:size], "") + "…"
}

func syntaxError(err error, at jsontext.Pointer) *Error {
	e := &Error{Path: pathOf(at), Reason: "is not valid JSON", Err: err}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Path, e.Reason = "", "is cut off"
	case errors.Is(err, jsontext.ErrDuplicateName):
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			e.Path = pathOf(syntax.JSONPointer)
		}
		e.Reason = "is there twice"
	}
	return e
}

func pathOf(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		if isDigits(token) {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(Clean(token))
	}
	return Clean(b.String())
}
