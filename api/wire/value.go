package wire

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"tonne/model"
)

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
