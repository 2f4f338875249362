package wire

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// Request contains the members of the JSON object that a client sent.
type Request map[string]jsontext.Value

var (
	// ErrNotObject is returned for a body that is not exactly one JSON object.
	ErrNotObject = errors.New("must be one JSON object in UTF-8 that names each member once")
	// ErrNotString is returned for a member that is not a string.
	ErrNotString = errors.New("must be a string")
	// ErrNotBoolean is returned for a member that is neither true nor false.
	ErrNotBoolean = errors.New("must be a boolean")
)

// ParseRequest reads a request body. An empty body has no members.
func ParseRequest(body []byte) (Request, error) {
	r := make(Request)
	if len(body) == 0 {
		return r, nil
	}
	if value := jsontext.Value(body); !value.IsValid() || value.Kind() != '{' {
		return nil, ErrNotObject
	}
	reader := newReader(body)
	for range reader.object(members{}) {
		r[string(reader.name)] = reader.value().Clone()
	}
	return r, reader.finish()
}

// Text returns a member that must be a string. If it is absent or null, Text returns "".
func (r Request) Text(name string) (string, error) {
	switch r[name].Kind() {
	case 0, 'n':
		return "", nil
	case '"':
		text, err := jsontext.AppendUnquote(nil, r[name])
		return string(text), err
	}
	return "", ErrNotString
}

// Flag returns a member that must be a boolean. If it is absent or null, Flag returns false.
func (r Request) Flag(name string) (bool, error) {
	switch r[name].Kind() {
	case 0, 'n', 'f':
		return false, nil
	case 't':
		return true, nil
	}
	return false, ErrNotBoolean
}
