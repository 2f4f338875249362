package model

import (
	"strings"
	"time"
	"unicode"
)

// Field is an undocumented member of a response. It is kept and shown.
type Field struct {
	Name string
	// Value is the JSON text, or the plain text of a string.
	Value string
}

// Fault describes an unreadable value from the service. Its record is shown with a warning.
type Fault struct {
	// Path is the path of the value, such as projects[3].vintages[0].vintage_year.
	Path string
	// Reason is a phrase that completes the path, such as "is not a string of digits".
	Reason string
}

// Error returns the fault as a phrase.
func (f Fault) Error() string { return f.Path + " " + f.Reason }

// Page is the position of a response in a listing (interface section 2.1), without
// previous_page and next_page, which are unreliable.
type Page struct {
	PerPage, TotalPages, TotalItems, Current int
}

// Timestamp is a point in time as the service wrote it.
type Timestamp struct {
	// Time is the zero time if Text is not an ISO 8601 timestamp.
	Time time.Time
	// Text is the original text, or empty if missing.
	Text string
}

// ParseTimestamp parses an ISO 8601 timestamp. It keeps other text.
func ParseTimestamp(s string) Timestamp {
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return Timestamp{t, s}
		}
	}
	return Timestamp{Text: s}
}

// At returns t as a timestamp in UTC. For the zero time, the text is empty.
func At(t time.Time) Timestamp {
	if t.IsZero() {
		return Timestamp{}
	}
	t = t.UTC()
	return Timestamp{t, t.Format("2006-01-02T15:04:05.000Z07:00")}
}

// Known reports whether the text is a time.
func (t Timestamp) Known() bool { return !t.Time.IsZero() }

// UTC returns t in UTC as in RFC 3339, or the text if it is not a time.
func (t Timestamp) UTC() string {
	if !t.Known() {
		return t.Text
	}
	return t.Time.UTC().Format(time.RFC3339Nano)
}

// OptionalBool is a boolean that may be missing.
type OptionalBool int8

// The values of OptionalBool.
const (
	Unset OptionalBool = iota
	No
	Yes
)

// BoolOf returns Yes or No.
func BoolOf(b bool) OptionalBool {
	if b {
		return Yes
	}
	return No
}

// LongestLine is the limit of IsLine, in bytes.
const LongestLine = 500

// IsLine reports whether a text of the user is short and has no control characters.
func IsLine(text string) bool {
	return len(text) <= LongestLine && !strings.ContainsFunc(text, unicode.IsControl)
}
