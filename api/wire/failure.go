package wire

import (
	"bytes"
	"cmp"
	"maps"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
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

// maxMessage is the longest message that is kept, in bytes.
const maxMessage = 500

// DecodeFailure reads the body of an error answer as well as it can: a proxy may answer
// instead of the service. A body that is text is the message.
func DecodeFailure(body []byte) Failure {
	var f Failure
	switch value := jsontext.Value(bytes.TrimSpace(body)); {
	case value.Kind() == '{':
		members := membersOf(value)
		if inner := members["error"]; inner.Kind() == '{' {
			delete(members, "error")
			maps.Copy(members, membersOf(inner))
		}
		f.StatusCode, _ = strconv.Atoi(strings.Trim(string(members["statusCode"]), `"`))
		f.Message = joined(members["message"])
		for _, name := range [...]string{"type", "code", "error"} {
			if code := members[name]; code.Kind() != '{' {
				f.Code = cmp.Or(joined(code), f.Code)
			}
		}
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

var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// membersOf returns the members of an object up to the first that cannot be read.
func membersOf(object []byte) map[string]jsontext.Value {
	members := make(map[string]jsontext.Value)
	_ = json.Unmarshal(object, &members, lenient)
	return members
}

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
	dec := jsontext.NewDecoder(bytes.NewBuffer(value), lenient)
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
