package model

import (
	"math/bits"
	"strconv"
	"strings"
)

// PerMille is a relative difference in tenths of a per cent.
type PerMille int64

// Difference returns the relative difference of a price from the base, rounded half away
// from zero. It is false if one is unknown, the base is zero, or the result reaches a
// hundred million per cent.
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

const maxPercent = 1_000_000

// ParsePercent parses a percentage with at most one decimal: "5%", "1,000%". The error is
// ErrNotDigits, or ErrOutOfRange beyond a million per cent.
func ParsePercent(s string) (PerMille, error) {
	s, ok := strings.CutSuffix(strings.TrimSpace(s), "%")
	if !ok {
		return 0, ErrNotDigits
	}
	tenths, err := parseDecimal(s, 1)
	if err == nil && tenths/10 > maxPercent {
		return 0, ErrOutOfRange
	}
	return PerMille(tenths), err
}

// String returns d in per cent with its sign, "+5.7%", "−4.2%" or "0.0%".
func (d PerMille) String() string {
	var buf [24]byte
	return string(d.Append(buf[:0]))
}

// Append appends d as String returns it.
func (d PerMille) Append(dst []byte) []byte {
	if d > 0 {
		dst = append(dst, '+')
	}
	return d.appendShare(dst)
}

// FormatShare returns d in per cent without a plus, "5.7%".
func (d PerMille) FormatShare() string {
	var buf [24]byte
	return string(d.appendShare(buf[:0]))
}

func (d PerMille) appendShare(dst []byte) []byte {
	dst, n := appendSign(dst, int64(d))
	dst = appendThousands(dst, n/10)
	dst = append(dst, '.')
	dst = strconv.AppendUint(dst, n%10, 10)
	return append(dst, '%')
}
