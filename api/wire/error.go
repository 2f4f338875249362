package wire

import (
	"bytes"
	"cmp"
	"errors"
	"html"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// byteOrderMark may precede a text in UTF-8. It is ignored.
var byteOrderMark = []byte("\ufeff")

// trimmed returns a body without a byte order mark and the white space around it.
func trimmed(body []byte) []byte { return bytes.TrimSpace(bytes.TrimPrefix(body, byteOrderMark)) }

// IsWebPage reports whether a body is HTML or XML.
func IsWebPage(body []byte) bool { return bytes.HasPrefix(trimmed(body), []byte("<")) }

const (
	// maxTitle limits the title of a web page, and maxHead the part in which it is searched,
	// in bytes.
	maxTitle = 80
	maxHead  = 8 << 10
)

var titleElement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
})

// PageTitle returns the title of a web page, sanitised, or "".
func PageTitle(body []byte) string {
	found := titleElement().FindSubmatch(body[:min(len(body), maxHead)])
	if !IsWebPage(body) || found == nil {
		return ""
	}
	title := strings.Join(strings.Fields(html.UnescapeString(string(found[1]))), " ")
	return cutOff(Clean(title), maxTitle)
}

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
// may have sent it. If the body is plain text, that is the message. In addition to the
// form of the interface (section 7) it reads problem details (RFC 9457), the errors of
// OAuth (RFC 6749), a nested error and lists of errors.
func DecodeFailure(body []byte) Failure {
	var f Failure
	switch value := jsontext.Value(trimmed(body)); {
	case value.Kind() == '{':
		members := membersOf(value)
		for _, name := range [...]string{"error", "fault"} {
			if inner := members[name]; inner.Kind() == '{' {
				delete(members, name)
				maps.Copy(members, membersOf(inner))
			}
		}
		f.StatusCode, _ = strconv.Atoi(strings.Trim(string(members["statusCode"]), `"`))
		f.Message = sentence(reasonsIn(members, maxDepth))
		for _, name := range [...]string{"type", "code", "error"} {
			// The type of problem details is an address.
			if code := textOf(members[name]); code != "" && !strings.ContainsAny(code, ":/") {
				f.Code = code
			}
		}
		f.JSON = value.IsValid()
	case value.IsValid():
		f.Message = sentence(reasons(value, maxDepth))
	case !IsWebPage(body):
		f.Message = cutOff(Clean(string(value)), maxMessage)
	}
	if strings.ToUpper(f.Code) != f.Code || f.Code == "" {
		f.Code = cmp.Or(codeWithin(body), f.Code)
	}
	return f
}

// reasonMembers are the members that services use for a reason, the most specific first.
var reasonMembers = []string{
	"message", "Message", "faultstring", "detail", "error_description", "errorMessage", "description", "reason", "errors",
	"constraints", "title", "error",
}

const (
	// maxDepth limits the nesting in which a reason is searched.
	maxDepth = 4
	// maxReasons limits the number of reasons.
	maxReasons = 10
)

// reasonsIn returns the reasons of an object: those of the first member for a reason that has
// any.
func reasonsIn(members map[string]jsontext.Value, depth int) []string {
	for _, name := range reasonMembers {
		found := reasons(members[name], depth-1)
		if name == "error" {
			// A word is a code.
			found = slices.DeleteFunc(found, func(text string) bool { return !strings.Contains(text, " ") })
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// reasons returns the reasons in a text, a list, or an object. An object without a member for
// a reason maps names of fields to their reasons, unless it is in a list.
func reasons(value jsontext.Value, depth int) (found []string) {
	switch kind := value.Kind(); {
	case depth == 0:
	case kind == '"':
		if text := textOf(value); text != "" {
			found = []string{text}
		}
	case kind == '[':
		for _, element := range elementsOf(value) {
			if element.Kind() == '{' {
				found = append(found, reasonsIn(membersOf(element), depth)...)
			} else {
				found = append(found, reasons(element, depth)...)
			}
		}
	case kind == '{':
		members := membersOf(value)
		if found = reasonsIn(members, depth); len(found) > 0 {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			for _, reason := range reasons(members[name], depth-1) {
				found = append(found, Clean(name)+": "+reason)
			}
		}
	}
	return found[:min(len(found), maxReasons)]
}

func sentence(reasons []string) string { return cutOff(strings.Join(reasons, "; "), maxMessage) }

var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// membersOf returns the members of an object up to the first invalid one.
func membersOf(object []byte) map[string]jsontext.Value {
	members := make(map[string]jsontext.Value)
	_ = json.Unmarshal(object, &members, lenient)
	return members
}

// elementsOf returns the elements of an array up to the first invalid one.
func elementsOf(array []byte) (elements []jsontext.Value) {
	_ = json.Unmarshal(array, &elements, lenient)
	return elements
}

func codeWithin(body []byte) string {
	for _, code := range [...]string{"NOT_FOUND", "VALIDATION_ERROR"} {
		if bytes.Contains(body, []byte(code)) {
			return code
		}
	}
	return ""
}

func textOf(value jsontext.Value) string {
	if value.Kind() != '"' {
		return ""
	}
	token, err := jsontext.NewDecoder(bytes.NewReader(value), lenient).ReadToken()
	if err != nil {
		return ""
	}
	return cutOff(Clean(token.String()), maxMessage)
}
