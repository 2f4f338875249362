package marketplace

import (
	"fmt"
	"unicode/utf8"

	"tonne/api/wire"
)

// maxText is the longest text that is taken in, in characters (code points of
// Unicode).
const maxText = 255

// textFault says why a text is not taken in, or nothing where it is. What
// hides or reorders text would end on certificates, in logs and in the
// operator's tables.
func textFault(text string) string {
	switch {
	case utf8.RuneCountInString(text) > maxText:
		return fmt.Sprintf("must be at most %d characters long", maxText)
	case !wire.IsClean(text):
		return "must not hold control characters, nor characters that hide or reorder text"
	}
	return ""
}

// TextError says that a text is not fit to be kept.
type TextError struct {
	// What is the text, such as "the name of the tenant".
	What string
	// Why it is not fit, as the end of a sentence that begins with it.
	Why string
}

// Error is a sentence without its full stop.
func (e *TextError) Error() string { return e.What + " " + e.Why }

func checkText(what, text string) error {
	if why := textFault(text); why != "" {
		return &TextError{what, why}
	}
	return nil
}

func checkName(of, name string) error { return checkText("the name of the "+of, name) }
