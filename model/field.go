package model

import (
	"strings"
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
