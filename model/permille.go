package model

import (
	"math/bits"
	"strconv"
)

// PerMille is a relative difference in tenths of a per cent.
type PerMille int64

// Difference returns how far a price or an amount is above (positive) or below
// (negative) the base, rounded half away from zero. It is false if either is
// not known, the base is zero, or the difference is beyond any use: a hundred
// million per cent.
func Difference[T PriceCents | Cents](price, base T) (PerMille, bool) {
	if price < 0 || base <= 0 {
		return 0, false
	}
	gap, sign := uint64(price-base), PerMille(1)
	if price < base {
		gap, sign = uint64(base-price), -1
	}
	hi, lo := bits.Mul64(gap, 1000)
	if hi >= uint64(base) {
		return 0, false
	}
	q, rem := bits.Div64(hi, lo, uint64(base))
	if q >= 1_000_000_000 {
		return 0, false
	}
	if rem >= uint64(base)-rem {
		q++
	}
	return sign * PerMille(q), true
}

// String returns d in per cent with its sign, "+5.7%", "−4.2%" or "0.0%".
func (d PerMille) String() string {
	var buf [24]byte
	dst := buf[:0]
	n := uint64(d)
	switch {
	case d > 0:
		dst = append(dst, '+')
	case d < 0:
		dst = append(dst, minus...)
		n = -n
	}
	dst = appendThousands(dst, n/10)
	dst = append(dst, '.')
	dst = strconv.AppendUint(dst, n%10, 10)
	return string(append(dst, '%'))
}
