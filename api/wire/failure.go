package wire

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Failure is what the body of an error answer says (interface section 7).
// Every field may be empty.
type Failure struct {
	StatusCode int
	// Code is the kind of error: Forbidden, NOT_FOUND.
	Code string
	// Message is for people; several messages are joined.
	Message string
}

// DecodeFailure reads the body of an error answer as well as it can: the
// interface shows no body for some errors, and a proxy may answer instead of
// the service. Whatever cannot be read stays empty.
func DecodeFailure(body []byte) Failure {
	var f Failure
	dec := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if start, err := dec.ReadToken(); err == nil && start.Kind() == '{' {
		for dec.PeekKind() == '"' {
			name, err := dec.ReadToken()
			if err != nil {
				break
			}
			member := name.String()
			value, err := dec.ReadValue()
			if err != nil {
				break
			}
			f.take(member, value)
		}
	}
	if f.Code == "" || f.Code == "Unprocessable Entity" {
		f.Code = codeWithin(body, f.Code)
	}
	return f
}

func (f *Failure) take(member string, value jsontext.Value) {
	switch {
	case member == "statusCode":
		f.StatusCode, _ = strconv.Atoi(string(value))
	case member == "error" && value.Kind() == '{':
		inner := DecodeFailure(value)
		f.Code, f.Message = inner.Code, inner.Message
	case member == "error", (member == "code" || member == "type") && f.Code == "":
		f.Code = joined(value)
	case member == "message":
		f.Message = joined(value)
	}
}

// codeWithin looks for the codes of a retirement look-up in a body of unknown
// shape.
func codeWithin(body []byte, otherwise string) string {
	for _, code := range [...]string{"NOT_FOUND", "VALIDATION_ERROR"} {
		if bytes.Contains(body, []byte(code)) {
			return code
		}
	}
	return otherwise
}

// joined returns a string, or the strings of an array in one line.
func joined(value jsontext.Value) string {
	var texts []string
	dec := jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return Clean(strings.Join(texts, "; "))
		}
		if token.Kind() == '"' {
			texts = append(texts, token.String())
		}
	}
}
