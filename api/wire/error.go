package wire

import (
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
	// Reason is a phrase that fits behind the path: is not an object.
	Reason string
	// Err is the error of the JSON reader where there was one. Its text may
	// quote the body and is not sanitised.
	Err error
}

// Error returns the path and the reason as a phrase.
func (e *Error) Error() string {
	if e.Path == "" {
		return "the answer " + e.Reason
	}
	return e.Path + " " + e.Reason
}

// Unwrap returns the error of the JSON reader.
func (e *Error) Unwrap() error { return e.Err }

// syntaxError explains an error of the JSON reader without quoting the body.
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

// pathOf writes a JSON pointer as people write paths: projects[3].vintages[0].
func pathOf(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		if isIndex(token) {
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

func isIndex(token string) bool {
	return token != "" && strings.Trim(token, "0123456789") == ""
}
