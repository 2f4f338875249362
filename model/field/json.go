package field

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// MarshalJSON writes the value as a string, number, boolean, array, object or null.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// AppendJSON appends the value in JSON. Amounts are strings of digits.
func (v Value) AppendJSON(b []byte) []byte {
	switch v.kind {
	case text, words, moment:
		return appendQuoted(b, v.text)
	case number, perMille:
		return strconv.AppendInt(b, v.n, 10)
	case flag:
		return strconv.AppendBool(b, v.n != 0)
	case texts, array:
		return append(v.appendItems(append(b, '[')), ']')
	case object:
		return append(v.appendItems(append(b, '{')), '}')
	}
	if v.IsNull() {
		return append(b, "null"...)
	}
	return append(strconv.AppendInt(append(b, '"'), v.n, 10), '"')
}

func (v Value) appendItems(b []byte) []byte {
	start := len(b)
	for name, item := range v.items {
		if len(b) > start {
			b = append(b, ',')
		}
		if v.kind == object {
			b = append(append(append(b, '"'), name...), `":`...)
		}
		b = item.AppendJSON(b)
	}
	return b
}

func appendQuoted(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // Any text can be quoted.
	return append(b, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
