package marketplace

import (
	"fmt"

	"tonne/api/wire"
)

// maxText is the longest text that is taken in, in bytes.
const maxText = 255

// textFault says why a text is not taken in, or nothing where it is. What
// hides or reorders text would end on certificates, in logs and in the
// operator's tables.
func textFault(text string) string {
	switch {
	case len(text) > maxText:
		return fmt.Sprintf("must be at most %d bytes long", maxText)
	case !wire.IsClean(text):
		return "must not hold control characters, nor characters that hide or reorder text"
	}
	return ""
}

// TextError says that a name is not fit to be kept.
type TextError struct {
	// What is the name of, such as "tenant".
	What string
	// Why it is not fit, as the end of a sentence that begins with it.
	Why string
}

// Error is a sentence without its full stop.
func (e *TextError) Error() string { return "the name of the " + e.What + " " + e.Why }

// checkName returns a *TextError for a name that is not fit to be kept.
func checkName(what, name string) error {
	if why := textFault(name); why != "" {
		return &TextError{what, why}
	}
	return nil
}
