package wire

import (
	"bytes"
	"cmp"
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
	// JSON says that the body is a JSON object, whole and without duplicate members.
	// What another body says is a hint for people: it may be cut off.
	JSON bool
}

// maxMessage is the longest message that is kept, in bytes: it goes into one
// line of an error.
const maxMessage = 500

// DecodeFailure reads the body of an error answer as well as it can: the
// interface shows no body for some errors, and a proxy may answer instead of
// the service. A body that is text is the message. Whatever cannot be read stays
// empty.
func DecodeFailure(body []byte) Failure {
	var f Failure
	switch value := jsontext.Value(bytes.TrimSpace(body)); {
	case value.Kind() == '{':
		f.read(body, true)
		f.JSON = value.IsValid()
	case value.IsValid():
		f.Message = joined(value)
	case !IsWebPage(body):
		f.Message = cutOff(Clean(string(value)), maxMessage)
	}
	if strings.ToUpper(f.Code) != f.Code || f.Code == "" {
		f.Code = cmp.Or(codeWithin(body), f.Code)
	}
	return f
}

// read takes the members of an object up to the first that cannot be read.
func (f *Failure) read(object []byte, nested bool) {
	r := &reader{body: object, dec: newLenientDecoder(object)}
	for range r.object() {
		if value := r.value(); value != nil {
			f.take(string(r.name), value, nested)
		}
	}
}

func (f *Failure) take(member string, value jsontext.Value, nested bool) {
	switch {
	case member == "statusCode":
		f.StatusCode, _ = strconv.Atoi(strings.Trim(string(value), `"`))
	case member == "error" && value.Kind() == '{':
		if nested {
			f.read(value, false)
		}
	case member == "error", (member == "code" || member == "type") && f.Code == "":
		f.Code = joined(value)
	case member == "message":
		f.Message = joined(value)
	}
}

func newLenientDecoder(json []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(json), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// codeWithin looks for the codes of a retirement look-up in a body of unknown
// shape.
func codeWithin(body []byte) string {
	for _, code := range [...]string{"NOT_FOUND", "VALIDATION_ERROR"} {
		if bytes.Contains(body, []byte(code)) {
			return code
		}
	}
	return ""
}

func joined(value jsontext.Value) string {
	var texts []string
	dec := newLenientDecoder(value)
	for {
		token, err := dec.ReadToken()
		if err != nil {
			break
		}
		if token.Kind() == '"' {
			texts = append(texts, token.String())
		}
	}
	return cutOff(Clean(strings.Join(texts, "; ")), maxMessage)
}
