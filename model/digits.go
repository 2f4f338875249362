package model

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// ParseDigits parses an integer of the interface (section 1.3), which has only ASCII
// digits. The error is ErrNotDigits, or ErrOutOfRange beyond 2⁶³−1.
func ParseDigits[T ~string | ~[]byte](s T) (int64, error) {
	if len(s) == 0 {
		return 0, ErrNotDigits
	}
	var n uint64
	tooLarge := false
	for i := 0; i < len(s); i++ {
		d := uint64(s[i] - '0')
		if d > 9 {
			return 0, ErrNotDigits
		}
		if n > (math.MaxInt64-d)/10 {
			tooLarge = true
			continue
		}
		n = n*10 + d
	}
	if tooLarge {
		return 0, ErrOutOfRange
	}
	return int64(n), nil
}

// ParseNumber parses a whole number as users type it, "500" or "1,000". The error
// is ErrNotDigits, or ErrOutOfRange beyond 2⁶³−1.
func ParseNumber(s string) (int64, error) {
	digits, err := Ungroup(strings.TrimSpace(s))
	if err != nil {
		return 0, err
	}
	return ParseDigits(digits)
}

func parseDecimal(s string, decimals int) (int64, error) {
	head, tail, dotted := strings.Cut(strings.TrimSpace(s), ".")
	head, err := Ungroup(head)
	switch {
	case err != nil:
		return 0, err
	case head == "" || dotted && tail == "" || len(tail) > decimals:
		return 0, ErrNotDigits
	}
	return ParseDigits(head + tail + strings.Repeat("0", decimals-len(tail)))
}

// Ungroup removes the commas between thousands. It returns ErrNotDigits for any other
// comma.
func Ungroup(s string) (string, error) {
	groups := strings.Split(s, ",")
	for i, group := range groups {
		if i > 0 && len(group) != 3 || i == 0 && len(groups) > 1 && (group == "" || len(group) > 3) {
			return "", ErrNotDigits
		}
	}
	return strings.Join(groups, ""), nil
}

// FormatNumber returns n as users read it, "1,234" or "−5".
func FormatNumber(n int64) string {
	var buf [32]byte
	return string(AppendNumber(buf[:0], n))
}

// AppendNumber appends n as FormatNumber returns it.
func AppendNumber(dst []byte, n int64) []byte { return appendThousands(appendSign(dst, n)) }

// minus is the sign of negative numbers on the screen. It is as wide as a plus.
const minus = "−"

func appendSign(dst []byte, n int64) ([]byte, uint64) {
	if n < 0 {
		return append(dst, minus...), -uint64(n)
	}
	return dst, uint64(n)
}

func appendThousands(dst []byte, n uint64) []byte {
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], n, 10)
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, d)
	}
	return dst
}

func appendPadded(dst []byte, n uint64, width int) []byte {
	var buf [20]byte
	digits := strconv.AppendUint(buf[:0], n, 10)
	for range width - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// Count returns a number with a noun: "1 ask", "1,204 asks".
func Count[N ~int | ~int64](n N, one, many string) string {
	return FormatNumber(int64(n)) + " " + Plural(n, one, many)
}

// Plural returns one for 1, and many for other numbers.
func Plural[N ~int | ~int64](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// NoneKnown reports whether there are values and none of them is known.
func NoneKnown[T any](values []T, known func(T) bool) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, known)
}
