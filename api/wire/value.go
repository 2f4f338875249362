package wire

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"tonne/model"
)

// text reads a string that must be there. The bytes are sanitised and valid
// until the next read.
func (r *reader) text() []byte {
	raw := r.value()
	if raw.Kind() != '"' {
		r.fail("is not a string")
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
func (r *reader) optionalText() string {
	raw := r.value()
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
	if r.kind() != '[' {
		if raw := r.value(); raw.Kind() != 'n' {
			r.fault("is not an array")
		}
		return nil
	}
	var list []string
	for r.enterArray(); r.nextElement(); {
		list = append(list, r.optionalText())
	}
	return list
}

// digits reads a string of digits, or keeps a fault and returns false.
func (r *reader) digits() (int64, bool) {
	raw := r.value()
	if r.err != nil {
		return 0, false
	}
	if raw.Kind() != '"' {
		r.fault(model.ErrNotDigits.Error())
		return 0, false
	}
	n, err := model.ParseDigits(raw[1 : len(raw)-1])
	if err != nil {
		n, err = model.ParseDigits(r.unquote(raw))
	}
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
	year, err := strconv.ParseUint(string(raw), 10, 16)
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
	n, err := strconv.ParseUint(string(raw), 10, strconv.IntSize-1)
	if err != nil {
		r.fail("is not a whole number")
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
