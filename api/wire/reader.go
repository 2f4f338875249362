package wire

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"tonne/model"
)

// reader walks one JSON body. Its first error sticks: all that is read behind
// it is empty, so that a decoder can be written without checking each step.
type reader struct {
	dec     *jsontext.Decoder
	body    []byte
	name    []byte
	scratch []byte
	faults  []model.Fault
	err     *Error
}

// newReader returns a reader of body. Invalid UTF-8 in a string becomes U+FFFD.
func newReader(body []byte) *reader {
	return &reader{body: body, dec: jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true))}
}

func (r *reader) finish() error {
	if r.err != nil {
		return r.err
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return &Error{Reason: "has bytes behind its end", Err: err}
	}
	return nil
}

func (r *reader) fail(reason string) { r.failAt(nil, reason) }

func (r *reader) failAt(value jsontext.Value, reason string) {
	if r.err == nil {
		r.err = &Error{Path: pathOf(r.dec.StackPointer()), Reason: reason, Value: Clean(string(value[:min(len(value), maxKept)]))}
	}
}

func (r *reader) fault(reason string) {
	if r.err == nil {
		r.faults = append(r.faults, model.Fault{Path: pathOf(r.dec.StackPointer()), Reason: reason})
	}
}

func (r *reader) syntax(err error) {
	switch {
	case r.err != nil:
	case len(r.body) == 0:
		r.err = &Error{Reason: "is empty", Err: err}
	case IsWebPage(r.body):
		r.err = &Error{Reason: "is a web page", Err: ErrWebPage}
	default:
		r.err = syntaxError(err, r.dec.StackPointer())
	}
}

func (r *reader) kind() jsontext.Kind {
	if r.err != nil {
		return 0
	}
	return r.dec.PeekKind()
}

func (r *reader) value() jsontext.Value {
	if r.err != nil {
		return nil
	}
	value, err := r.dec.ReadValue()
	if err != nil {
		r.syntax(err)
		return nil
	}
	return value
}

func (r *reader) enter(kind jsontext.Kind, otherwise string) bool {
	if r.kind() != kind {
		r.failAt(r.value(), otherwise)
		return false
	}
	if _, err := r.dec.ReadToken(); err != nil {
		r.syntax(err)
	}
	return r.err == nil
}

func (r *reader) nextMember() bool {
	if r.err != nil {
		return false
	}
	start := r.dec.InputOffset()
	token, err := r.dec.ReadToken()
	if err != nil {
		r.syntax(err)
		return false
	}
	if token.Kind() != '"' {
		return false // the end of the object
	}
	// The text read is the name after a comma and blanks.
	raw := r.body[start:r.dec.InputOffset()]
	for raw[0] != '"' {
		raw = raw[1:]
	}
	r.name = raw[1 : len(raw)-1]
	if bytes.IndexByte(r.name, '\\') >= 0 {
		r.name, _ = jsontext.AppendUnquote(nil, raw)
	}
	return true
}

func (r *reader) nextElement() bool {
	if r.kind() == ']' {
		if _, err := r.dec.ReadToken(); err != nil {
			r.syntax(err)
		}
		return false
	}
	return r.err == nil
}

func (r *reader) array() func(element func() bool) {
	return func(element func() bool) {
		if r.kind() == 'n' {
			r.skip()
			return
		}
		for in := r.enter('[', "is not an array"); in && r.nextElement(); {
			if !element() {
				return
			}
		}
	}
}

func (r *reader) object(required ...string) func(member func() bool) {
	return func(member func() bool) {
		if !r.enter('{', "is not an object") {
			return
		}
		// Bit n says that the object has required[n].
		had := uint(0)
		for r.nextMember() {
			for n, name := range required {
				if string(r.name) == name {
					had |= 1 << n
				}
			}
			if !member() {
				return
			}
		}
		for n, name := range required {
			if had&(1<<n) == 0 {
				r.fail("has no " + name)
				return
			}
		}
	}
}
