// Package modeltest has helpers for tests of the values in package model.
package modeltest

import (
	"math"
	"math/big"

	"pgregory.net/rapid"

	"tonne/model"
)

// DrawGrams draws quantities of every size, whole tonnes and limits often.
func DrawGrams(t *rapid.T, label string) model.Grams {
	return model.Grams(rapid.OneOf(
		rapid.Int64Range(0, math.MaxInt64),
		rapid.Map(rapid.Int64Range(0, 1000), func(n int64) int64 { return n * model.GramsPerTonne }),
		rapid.SampledFrom([]int64{0, 1, 999_999, 1_000_001, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64}),
	).Draw(t, label))
}

// DrawPrice draws prices of every size.
func DrawPrice(t *rapid.T, label string) model.PriceCents {
	return model.PriceCents(rapid.OneOf(
		rapid.Int64Range(0, 100_000),
		rapid.Int64Range(0, math.MaxInt64),
		rapid.SampledFrom([]int64{0, 1, 1<<53 + 1, math.MaxInt64}),
	).Draw(t, label))
}

// SameAsExact compares a rounded quotient with the exact one, half up.
func SameAsExact(t *rapid.T, got int64, err error, sum, by *big.Int) {
	t.Helper()
	twice := new(big.Int).Lsh(sum, 1)
	want := twice.Add(twice, by).Quo(twice, new(big.Int).Lsh(by, 1))
	if want.IsInt64() != (err == nil) || err == nil && got != want.Int64() {
		t.Fatalf("%s / %s = %d, %v; want %s", sum, by, got, err, want)
	}
}

// Price reads a price in cents, or a question mark.
func Price(text string) model.PriceCents {
	if cents, err := model.ParseDigits(text); err == nil {
		return model.PriceCents(cents)
	}
	return model.UnknownPrice
}
