package wire

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Error reports a body that is not the documented one.
type Error struct {
	// Path is the path of the value, such as projects[3].vintages[0]. It is empty
	// for the body as a whole, and sanitised.
	Path string
	// Reason is a phrase that follows the path, such as "is not an object".
	Reason string
	// Value is the JSON text of the value, or empty if it is missing. It is
	// sanitised, and longer than the part that the message quotes.
	Value string
	// Err is the error of the JSON decoder, or nil. Its text may quote the body
	// and is not sanitised.
	Err error
}

// Error returns the path, the reason and the start of the value as a phrase.
func (e *Error) Error() string {
	text := cmp.Or(e.Path, "the answer") + " " + e.Reason
	if e.Value != "" {
		text += ": " + cutOff(e.Value, maxQuoted)
	}
	return text
}

// Unwrap returns the error of the JSON decoder.
func (e *Error) Unwrap() error { return e.Err }

// ErrWebPage is wrapped by the error for a body that is HTML or XML.
var ErrWebPage = errors.New("a web page")

// IsWebPage reports whether a body is HTML or XML.
func IsWebPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

const (
	// maxQuoted limits the value that a message quotes, in bytes. Error.Value is longer,
	// so that a key in it can be removed as a whole before the text is cut.
	maxQuoted = 60
	maxKept   = 1 << 10
)

func cutOff(text string, size int) string {
	if len(text) <= size {
		return text
	}
	return strings.ToValidUTF8(text[:size], "") + "…"
}

func syntaxError(err error, at jsontext.Pointer) *Error {
	e := &Error{Path: pathOf(at), Reason: "is not valid JSON", Err: err}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Path, e.Reason = "", "is cut off"
	case errors.Is(err, jsontext.ErrDuplicateName):
		if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
			e.Path = pathOf(syntax.JSONPointer)
		}
		e.Reason = "is there twice"
	}
	return e
}

func pathOf(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		if isDigits(token) {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(Clean(token))
	}
	return Clean(b.String())
}

// Failure is the content of the body of an error response (interface section 7). Any
// field may be empty.
type Failure struct {
	StatusCode int
	// Code is the error code, such as Forbidden or NOT_FOUND.
	Code string
	// Message is the message for users; several messages are joined.
	Message string
	// JSON reports that the body is a complete JSON object without duplicate members.
	// Otherwise the other fields are only a hint for users, and may be cut off.
	JSON bool
}

// maxMessage limits a message, in bytes.
const maxMessage = 500

// DecodeFailure reads the body of an error response as far as possible, because a proxy
// may have sent it. If the body is plain text, that is the message.
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

// membersOf returns the members of an object up to the first invalid one.
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
