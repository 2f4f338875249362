package model

import "slices"

// Count returns a number with its noun: "1 ask", "1,204 asks".
func Count[N ~int | ~int64](n N, one, many string) string {
	return FormatNumber(int64(n)) + " " + Plural(n, one, many)
}

// Plural returns the word that fits a number.
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
