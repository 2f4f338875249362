package wire

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"tonne/model"
)

// reader reads one JSON body. After the first error all methods return zero values, so
// a decoder needs to check the error only once, with finish.
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
	// The text is the name after a comma and white space.
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
		// Bit n is set if the object has required[n].
		seen := uint(0)
		for r.nextMember() {
			for n, name := range required {
				if string(r.name) == name {
					seen |= 1 << n
				}
			}
			if !member() {
				return
			}
		}
		for n, name := range required {
			if seen&(1<<n) == 0 {
				r.fail("has no " + name)
				return
			}
		}
	}
}

func (r *reader) text() string { return string(r.rawText()) }

func (r *reader) rawText() []byte {
	raw := r.value()
	if isDigits(raw) {
		return raw
	}
	if raw.Kind() != '"' {
		r.failAt(raw, "is not a string")
		return nil
	}
	return r.unquote(raw)
}

func (r *reader) unquote(raw jsontext.Value) []byte {
	inner := raw[1 : len(raw)-1]
	if isPlain(inner) && bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	r.scratch, _ = jsontext.AppendUnquote(r.scratch[:0], raw)
	return []byte(Clean(string(r.scratch)))
}

func (r *reader) id() string { return string(r.rawID()) }

func (r *reader) rawID() []byte {
	id := r.rawText()
	if len(id) == 0 {
		r.fault("is empty")
	}
	return id
}

func (r *reader) optionalText() string { return r.optionalTextOf(r.value()) }

func (r *reader) optionalID() string {
	raw := r.value()
	if isDigits(raw) {
		return string(raw)
	}
	return r.optionalTextOf(raw)
}

func (r *reader) optionalTextOf(raw jsontext.Value) string {
	switch raw.Kind() {
	case '"':
		return string(r.unquote(raw))
	case 'n', 0:
		return ""
	}
	r.fault("is not a string")
	return Clean(string(raw))
}

func (r *reader) strings() []string {
	if kind := r.kind(); kind != '[' && kind != 'n' {
		r.value()
		r.fault("is not an array")
		return nil
	}
	var list []string
	for range r.array() {
		list = append(list, r.optionalText())
	}
	return list
}

func (r *reader) numeral(raw jsontext.Value) []byte {
	if raw.Kind() != '"' {
		return raw
	}
	if inner := raw[1 : len(raw)-1]; isDigits(inner) {
		return inner
	}
	return r.unquote(raw)
}

func isDigits[T ~string | ~[]byte](text T) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return len(text) > 0
}

func (r *reader) digits() int64 {
	raw := r.value()
	if r.err != nil {
		return -1
	}
	n, err := model.ParseDigits(r.numeral(raw))
	if err != nil {
		r.fault(err.Error())
		return -1
	}
	return n
}

func (r *reader) year() int {
	raw := r.value()
	if r.err != nil {
		return 0
	}
	year, err := strconv.ParseUint(string(r.numeral(raw)), 10, 16)
	if err != nil || year > 9999 {
		r.fault("is not a year")
		return 0
	}
	return int(year)
}

func (r *reader) count() int {
	raw := r.value()
	if r.err != nil {
		return 0
	}
	n, err := strconv.ParseUint(string(r.numeral(raw)), 10, strconv.IntSize-1)
	if err != nil {
		r.failAt(raw, "is not a whole number")
	}
	return int(n)
}

func (r *reader) optionalBool() model.OptionalBool {
	switch raw := r.value(); raw.Kind() {
	case 't', 'f':
		return model.BoolOf(raw.Kind() == 't')
	case 'n', 0:
	default:
		r.fault("is neither true nor false")
	}
	return model.Unset
}

func (r *reader) extra() model.Field {
	name := Clean(string(r.name))
	raw := r.value()
	if raw.Kind() == '"' {
		return model.Field{Name: name, Value: string(r.unquote(raw))}
	}
	return model.Field{Name: name, Value: Clean(string(raw))}
}

func (r *reader) skip() {
	if r.err != nil {
		return
	}
	if err := r.dec.SkipValue(); err != nil {
		r.syntax(err)
	}
}
