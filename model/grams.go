package model

import (
	"errors"
	"math"
	"strconv"
)

// GramsPerTonne is the number of grams in a tonne (interface section 1.1).
const GramsPerTonne = 1_000_000

// Grams is a quantity of credits in grams: zero or more, or UnknownGrams.
type Grams int64

// UnknownGrams is an unreadable quantity. Sums ignore it.
const UnknownGrams Grams = -1

var (
	// ErrNotDigits is returned for a number that contains other characters than digits.
	ErrNotDigits = errors.New("is not a string of digits")
	// ErrUnknown is returned for a calculation with an unknown quantity or price.
	ErrUnknown = errors.New("a quantity or a price is not known")
	// ErrOutOfRange is returned for a number beyond 9,223,372,036,854,775,807.
	ErrOutOfRange = errors.New("is out of range")
	// ErrOverflow is returned if a sum or product is too large.
	ErrOverflow = errors.New("amount is too large")
)

// ParseGrams parses a quantity of the interface (section 1.3).
func ParseGrams(s string) (Grams, error) {
	n, err := ParseDigits(s)
	return Grams(n), err
}

// Tonnes returns the whole tonnes in g, rounded down (interface section 1.4).
func (g Grams) Tonnes() int64 { return int64(max(g, 0)) / GramsPerTonne }

// IsWhole reports whether g is a whole number of tonnes.
func (g Grams) IsWhole() bool { return g%GramsPerTonne == 0 }

// Known reports whether the quantity is readable.
func (g Grams) Known() bool { return g >= 0 }

// String returns g as in the interface: digits, in grams.
func (g Grams) String() string { return strconv.FormatInt(int64(g), 10) }

// TonnesUp returns g in whole tonnes, rounded up.
func (g Grams) TonnesUp() int64 {
	t := g.Tonnes()
	if g > 0 && !g.IsWhole() {
		t++
	}
	return t
}

// WholeTonnes returns t tonnes in grams. The error is ErrOverflow.
func WholeTonnes(t int64) (Grams, error) {
	if t < 0 || t > math.MaxInt64/GramsPerTonne {
		return 0, ErrOverflow
	}
	return Grams(t * GramsPerTonne), nil
}

// AddGrams returns a+b. An unknown quantity counts as 0. The error is ErrOverflow.
func AddGrams(a, b Grams) (Grams, error) {
	a, b = max(a, 0), max(b, 0)
	if a > math.MaxInt64-b {
		return 0, ErrOverflow
	}
	return a + b, nil
}

// Plus returns g+b, or UnknownGrams if one is unknown or the sum is out of range.
func (g Grams) Plus(b Grams) Grams {
	if !g.Known() || !b.Known() {
		return UnknownGrams
	}
	sum, err := AddGrams(g, b)
	if err != nil {
		return UnknownGrams
	}
	return sum
}

// AppendTonnes appends g in tonnes, "1,234", or with six decimals "0.999980".
func (g Grams) AppendTonnes(dst []byte) []byte {
	if !g.Known() {
		return append(dst, '?')
	}
	dst = appendThousands(dst, uint64(g/GramsPerTonne))
	if frac := uint64(g % GramsPerTonne); frac != 0 {
		dst = append(dst, '.')
		dst = appendPadded(dst, frac, 6)
	}
	return dst
}

// FormatTonnes returns g as users read it, "1,234 t" or "0.999980 t".
func (g Grams) FormatTonnes() string {
	var buf [32]byte
	return string(append(g.AppendTonnes(buf[:0]), " t"...))
}

// FormatGrams returns g in grams as users read it, "999,980 g".
func (g Grams) FormatGrams() string {
	if !g.Known() {
		return "? g"
	}
	var buf [32]byte
	return string(append(g.AppendGrams(buf[:0]), " g"...))
}

// AppendGrams appends g in grams, "999,980". It must be known.
func (g Grams) AppendGrams(dst []byte) []byte { return appendThousands(dst, uint64(g)) }
