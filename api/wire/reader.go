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
	// essential reports that the body is unusable if the next value is unreadable.
	essential bool
}

// newReader returns a reader of body. Invalid UTF-8 in a string becomes U+FFFD.
func newReader(body []byte) *reader {
	body = bytes.TrimPrefix(body, byteOrderMark)
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
		r.err = &Error{Path: pathOf(r.dec.StackPointer()), Reason: reason,
			Value: Clean(string(value[:min(len(value), maxKept)]))}
	}
}

// fault reports that the value just read is unreadable.
func (r *reader) fault(value jsontext.Value, reason string) {
	switch {
	case r.essential:
		r.failAt(value, reason)
	case r.err == nil:
		r.faults = append(r.faults, model.Fault{Path: pathOf(r.dec.StackPointer()), Reason: reason})
	}
}

// missing reports that the object just read has no member of a name.
func (r *reader) missing(name string, m mode) {
	switch {
	case m == essential:
		r.fail("has no " + name)
	case m == expected && r.err == nil:
		at := r.dec.StackPointer().AppendToken(name)
		r.faults = append(r.faults, model.Fault{Path: pathOf(at), Reason: "is missing"})
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
		if !r.essential && r.kind() != '[' {
			r.fault(r.value(), "is not an array")
			return
		}
		r.essential = false
		for in := r.enter('[', "is not an array"); in && r.nextElement(); {
			if !element() {
				return
			}
		}
	}
}

// members are the names of members of an object that must be there.
type members struct{ essential, expected []string }

// of returns the name and the mode of member n.
func (m members) of(n int) (name string, _ mode) {
	if n < len(m.essential) {
		return m.essential[n], essential
	}
	return m.expected[n-len(m.essential)], expected
}

func (r *reader) object(m members) func(member func() bool) {
	return func(member func() bool) {
		r.essential = false
		if !r.enter('{', "is not an object") {
			return
		}
		all := len(m.essential) + len(m.expected)
		// Bit n is set if the object has the member of(n).
		seen := uint(0)
		for r.nextMember() {
			for n := range all {
				if name, mode := m.of(n); string(r.name) == name {
					seen |= 1 << n
					r.essential = mode == essential
				}
			}
			if !member() {
				return
			}
			r.essential = false
		}
		for n := range all {
			if seen&(1<<n) == 0 {
				r.missing(m.of(n))
			}
		}
	}
}

func (r *reader) text() string { return string(r.rawText()) }

// rawText returns a string, or a whole number as its digits. Anything else is a fault.
func (r *reader) rawText() []byte {
	raw := r.value()
	if number := whole(raw); isDigits(number) {
		return number
	}
	if raw.Kind() != '"' {
		r.fault(raw, "is not a string")
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
	faults := len(r.faults)
	id := r.rawText()
	if len(id) == 0 && len(r.faults) == faults {
		r.fault(nil, "is empty")
	}
	return id
}

func (r *reader) optionalText() string { return r.optionalTextOf(r.value()) }

func (r *reader) optionalID() string {
	raw := r.value()
	if number := whole(raw); isDigits(number) {
		return string(number)
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
	r.fault(raw, "is not a string")
	return Clean(string(raw))
}

func (r *reader) strings() []string {
	var list []string
	for range r.array() {
		list = append(list, r.optionalText())
	}
	return list
}

func (r *reader) numeral(raw jsontext.Value) []byte {
	if raw.Kind() != '"' {
		return whole(raw)
	}
	if inner := whole(raw[1 : len(raw)-1]); isDigits(inner) {
		return inner
	}
	return r.unquote(raw)
}

// whole returns a numeral without decimals that are all zeros: 5 for 5.0.
func whole[T ~[]byte](numeral T) T {
	dot := bytes.IndexByte(numeral, '.')
	if dot < 0 || dot+1 == len(numeral) {
		return numeral
	}
	for _, d := range numeral[dot+1:] {
		if d != '0' {
			return numeral
		}
	}
	return numeral[:dot]
}

func isDigits[T ~string | ~[]byte](text T) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return len(text) > 0
}

// unknownDigits is model.UnknownGrams and model.UnknownPrice.
const unknownDigits = -1

func (r *reader) digits() int64 {
	raw := r.value()
	if r.err != nil {
		return unknownDigits
	}
	n, err := model.ParseDigits(r.numeral(raw))
	if err != nil {
		r.fault(raw, err.Error())
		return unknownDigits
	}
	return n
}

func (r *reader) year() int {
	raw := r.value()
	if r.err != nil {
		return 0
	}
	year, err := strconv.ParseUint(string(r.numeral(raw)), 10, 16)
	if err != nil || year == 0 || year > 9999 {
		r.fault(raw, "is not a year")
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
		r.fault(raw, "is not a whole number")
		return 0
	}
	return int(n)
}

func (r *reader) optionalBool() model.OptionalBool {
	raw := r.value()
	switch raw.Kind() {
	case 't', 'f':
		return model.BoolOf(raw.Kind() == 't')
	case 'n', 0:
	default:
		r.fault(raw, "is neither true nor false")
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
