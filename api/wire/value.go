package wire

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"tonne/model"
)

// text reads a string that must be there, or a whole number. The bytes are
// sanitised and valid until the next read.
func (r *reader) text() []byte {
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

// id reads the name of a record, which a record cannot be without.
func (r *reader) id() []byte {
	id := r.text()
	if len(id) == 0 {
		r.fault("is empty")
	}
	return id
}

// optionalText reads a string that may be null. Another type is a fault and
// read as its JSON text.
func (r *reader) optionalText() string { return r.optionalTextOf(r.value()) }

// optionalID reads an id that may be null.
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

// strings reads an array of strings that may be null.
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

// numeral returns the text of a number, or what is in a string: a service may
// send an integer as either.
func (r *reader) numeral(raw jsontext.Value) []byte {
	if raw.Kind() != '"' {
		return raw
	}
	if inner := raw[1 : len(raw)-1]; isDigits(inner) {
		return inner
	}
	return r.unquote(raw)
}

// isDigits reports whether a text is one or more ASCII digits.
func isDigits[T ~string | ~[]byte](text T) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return len(text) > 0
}

// digits reads an integer, or keeps a fault and returns false.
func (r *reader) digits() (int64, bool) {
	raw := r.value()
	if r.err != nil {
		return 0, false
	}
	n, err := model.ParseDigits(r.numeral(raw))
	if err != nil {
		r.fault(err.Error())
		return 0, false
	}
	return n, true
}

func (r *reader) grams() model.Grams {
	if n, ok := r.digits(); ok {
		return model.Grams(n)
	}
	return model.UnknownGrams
}

func (r *reader) price() model.PriceCents {
	if n, ok := r.digits(); ok {
		return model.PriceCents(n)
	}
	return model.UnknownPrice
}

// year reads the year of a vintage, or keeps a fault and returns 0.
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

// count reads a number of a pagination object, which must be a whole one.
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

func (r *reader) timestamp() model.Timestamp { return model.ParseTimestamp(r.optionalText()) }

// answer reads a boolean that may be null.
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

// extra reads the value of a member that the interface does not name.
func (r *reader) extra() model.Field {
	name := Clean(string(r.name))
	raw := r.value()
	if raw.Kind() == '"' {
		return model.Field{Name: name, Value: string(r.unquote(raw))}
	}
	return model.Field{Name: name, Value: Clean(string(raw))}
}

// skip reads a value and forgets it.
func (r *reader) skip() {
	if r.err != nil {
		return
	}
	if err := r.dec.SkipValue(); err != nil {
		r.syntax(err)
	}
}
