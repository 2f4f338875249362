package model

import (
	"errors"
	"fmt"
	"strings"
)

// AmbiguousError is returned for a number that people read in two ways.
type AmbiguousError struct {
	Text string
	// Readings are both ways to write it without ambiguity, each with its value.
	Readings string
}

// Error returns the text with both readings.
func (e *AmbiguousError) Error() string { return e.Text + ": " + e.Readings + "?" }

// ParseAmount parses an amount of money in a command. "$7" and "7.00" are dollars, "620c" and
// "620¢" are cents. A whole number without a sign is an *AmbiguousError, except 0. Other
// errors are ErrNotDigits and ErrOutOfRange.
func ParseAmount(s string) (Cents, error) {
	s = strings.TrimSpace(s)
	if number, ok := cutCents(s); ok {
		cents, err := ParseNumber(number)
		return Cents(cents), err
	}
	amount, err := dollars(s, 2)
	if err != nil || amount == 0 || strings.ContainsAny(s, "$.") {
		return Cents(amount), err
	}
	cents := amount / 100
	return 0, &AmbiguousError{s, fmt.Sprintf("$%d.00 or %dc, which is %s", cents, cents, cents.FormatDollars())}
}

func cutCents(s string) (number string, ok bool) {
	for _, sign := range []string{"c", "C", "¢"} {
		if number, ok := strings.CutSuffix(s, sign); ok {
			return number, true
		}
	}
	return "", false
}

// ParseTonnes parses a quantity in tonnes as users type it: "500", "1,234" or "0.99998". "1.000"
// is an *AmbiguousError: elsewhere it is a thousand. Other errors are ErrNotDigits, and
// ErrOutOfRange beyond 2⁶³−1 grams.
func ParseTonnes(s string) (Grams, error) {
	s = strings.TrimSpace(s)
	grams, err := parseDecimal(s, 6)
	head, tail, _ := strings.Cut(s, ".")
	if err != nil || tail != "000" || len(head) > 3 || strings.HasPrefix(head, "0") {
		return Grams(grams), err
	}
	return 0, &AmbiguousError{s, head + " t or " + head + ",000 t"}
}

// IsAmbiguous reports whether err is an *AmbiguousError.
func IsAmbiguous(err error) bool {
	_, ok := errors.AsType[*AmbiguousError](err)
	return ok
}
