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
	return parseUnit(strings.TrimSpace(s), 6, "t")
}

// ParseQuantity parses a quantity in a field: tonnes as ParseTonnes does ("2.5", "500 t", "5k" for thousands),
// kilograms ("20 kg"), grams ("20 g"), or "all", which is the given quantity. The errors are those of ParseTonnes,
// and ErrNotDigits for "all" of UnknownGrams.
func ParseQuantity(s string, all Grams) (Grams, error) {
	s = strings.Join(strings.Fields(strings.ToLower(s)), " ")
	if s == "all" && all.Known() {
		return all, nil
	}
	for _, unit := range quantityUnits {
		for _, name := range unit.names {
			if number, ok := strings.CutSuffix(s, name); ok {
				return parseUnit(strings.TrimSuffix(number, " "), unit.decimals, name)
			}
		}
	}
	return ParseTonnes(s)
}

// quantityUnits are the units of a field with their decimals, which a shift of ten for each changes into grams. A
// name comes before its own endings.
var quantityUnits = []struct {
	names    []string
	decimals int
}{
	{[]string{"kilograms", "kilogram", "kg"}, 3}, {[]string{"grams", "gram", "g"}, 0},
	{[]string{"k t", "kt", "k"}, 9}, {[]string{"tonnes", "tonne", "t"}, 6},
}

func parseUnit(s string, decimals int, unit string) (Grams, error) {
	grams, err := parseDecimal(s, decimals)
	if head, ok := thousandOrOne(s); ok && err == nil {
		return 0, &AmbiguousError{s, head + " " + unit + " or " + head + ",000 " + unit}
	}
	return Grams(grams), err
}

// thousandOrOne reports whether a number such as "1.000" is 1 to some readers and a thousand to others.
func thousandOrOne(s string) (head string, ok bool) {
	head, tail, _ := strings.Cut(s, ".")
	return head, tail == "000" && len(head) <= 3 && !strings.HasPrefix(head, "0")
}

// IsAmbiguous reports whether err is an *AmbiguousError.
func IsAmbiguous(err error) bool {
	_, ok := errors.AsType[*AmbiguousError](err)
	return ok
}
