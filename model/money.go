package model

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// PriceCents is a price in USD cents per tonne (interface section 1.2): zero or more, or
// UnknownPrice.
type PriceCents int64

// UnknownPrice is an unreadable or missing price.
const UnknownPrice PriceCents = -1

// ParseDollars parses a price as users type it: "$6", "6.00" or "$1,234.50".
func ParseDollars(s string) (PriceCents, error) {
	return dollars(s, 2)
}

// ParseMoney is like ParseDollars, and also accepts thousands or millions, "$25k" or "1.5m".
func ParseMoney(s string) (Cents, error) {
	s, decimals := strings.TrimSpace(s), 2
	if number, ok := strings.CutSuffix(strings.ToLower(s), "k"); ok {
		s, decimals = number, 5
	} else if number, ok := strings.CutSuffix(strings.ToLower(s), "m"); ok {
		s, decimals = number, 8
	}
	cents, err := dollars(s, decimals)
	return Cents(cents), err
}

func dollars(s string, decimals int) (PriceCents, error) {
	cents, err := parseDecimal(strings.TrimPrefix(strings.TrimSpace(s), "$"), decimals)
	return PriceCents(cents), err
}

// Known reports whether the price is known.
func (p PriceCents) Known() bool { return p >= 0 }

// String returns p as in the interface: digits, in cents.
func (p PriceCents) String() string { return strconv.FormatInt(int64(p), 10) }

// AppendDollars appends p in dollars to dst: "$8.40", "$1,234.50".
func (p PriceCents) AppendDollars(dst []byte) []byte {
	if !p.Known() {
		return append(dst, '?')
	}
	return Cents(p).AppendDollars(dst)
}

// FormatDollars returns p as users read it, "$8.40".
func (p PriceCents) FormatDollars() string {
	var buf [32]byte
	return string(p.AppendDollars(buf[:0]))
}

// Cents is an amount of money in USD cents. A loss is negative.
type Cents int64

// String returns c as in the interface: digits, in cents.
func (c Cents) String() string { return strconv.FormatInt(int64(c), 10) }

// AppendDollars appends c in dollars to dst: "$2,480.00", "−$0.01".
func (c Cents) AppendDollars(dst []byte) []byte {
	dst, n := appendSign(dst, int64(c))
	dst = appendThousands(append(dst, '$'), n/100)
	dst = append(dst, '.')
	return appendPadded(dst, n%100, 2)
}

// FormatDollars returns c as users read it, "$2,480.00".
func (c Cents) FormatDollars() string {
	var buf [40]byte
	return string(c.AppendDollars(buf[:0]))
}

// FormatChange returns c with its sign, "+$0.49" or "−$0.01".
func (c Cents) FormatChange() string {
	if c > 0 {
		return "+" + c.FormatDollars()
	}
	return c.FormatDollars()
}

// FormatRounded returns c in whole dollars, rounded half away from zero: "−$13". An amount
// that would round to zero keeps its cents.
func (c Cents) FormatRounded() string {
	var buf [40]byte
	dst, n := appendSign(buf[:0], int64(c))
	dollars := (n + 50) / 100
	if dollars == 0 && n > 0 {
		return c.FormatDollars()
	}
	return string(appendThousands(append(dst, '$'), dollars))
}

// FormatRoundedChange is like FormatRounded, with a sign.
func (c Cents) FormatRoundedChange() string {
	if c > 0 {
		return "+" + c.FormatRounded()
	}
	return c.FormatRounded()
}

// AddCents returns a+b. The error is ErrOverflow.
func AddCents(a, b Cents) (Cents, error) {
	sum := a + b
	if (sum > a) != (b > 0) && b != 0 {
		return 0, ErrOverflow
	}
	return sum, nil
}

// Cost is an exact sum of quantity × price, in millionths of a cent, so that rounding happens once.
type Cost struct{ hi, lo uint64 }

// CostOf returns the exact cost of g grams at p. The error is ErrUnknown.
func CostOf(g Grams, p PriceCents) (Cost, error) {
	if !g.Known() || !p.Known() {
		return Cost{}, ErrUnknown
	}
	hi, lo := bits.Mul64(uint64(g), uint64(p))
	return Cost{hi, lo}, nil
}

// Add returns c+d. The error is ErrOverflow.
func (c Cost) Add(d Cost) (Cost, error) {
	lo, carry := bits.Add64(c.lo, d.lo, 0)
	hi, carry := bits.Add64(c.hi, d.hi, carry)
	if carry != 0 {
		return Cost{}, ErrOverflow
	}
	return Cost{hi, lo}, nil
}

// Cents rounds c half up to whole cents. The error is ErrOverflow.
func (c Cost) Cents() (Cents, error) {
	q, err := c.divide(GramsPerTonne)
	return Cents(q), err
}

// ExactCents returns c in cents with all digits: "597.530428". The error is ErrOverflow.
func (c Cost) ExactCents() (string, error) {
	if c.hi >= GramsPerTonne {
		return "", ErrOverflow
	}
	cents, millionths := bits.Div64(c.hi, c.lo, GramsPerTonne)
	text := strconv.FormatUint(cents, 10)
	if millionths > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%06d", millionths), "0")
	}
	return text, nil
}

// Over returns c−d, rounded half away from zero to cents. The error is ErrOverflow.
func (c Cost) Over(d Cost) (Cents, error) {
	sign := Cents(1)
	if c.hi < d.hi || c.hi == d.hi && c.lo < d.lo {
		sign, c, d = -1, d, c
	}
	lo, borrow := bits.Sub64(c.lo, d.lo, 0)
	hi, _ := bits.Sub64(c.hi, d.hi, borrow)
	cents, err := Cost{hi, lo}.Cents()
	return sign * cents, err
}

// Average returns the price per tonne at which g grams cost c, rounded half up. The
// error is ErrOverflow, or ErrUnknown if g is not positive.
func (c Cost) Average(g Grams) (PriceCents, error) {
	if g <= 0 {
		return UnknownPrice, ErrUnknown
	}
	q, err := c.divide(uint64(g))
	return PriceCents(q), err
}

func (c Cost) divide(by uint64) (int64, error) {
	if c.hi >= by {
		return 0, ErrOverflow
	}
	q, rem := bits.Div64(c.hi, c.lo, by)
	if rem >= by-rem {
		q++
		if q == 0 {
			return 0, ErrOverflow
		}
	}
	if q > math.MaxInt64 {
		return 0, ErrOverflow
	}
	return int64(q), nil
}

// Part returns the cost of a part of a quantity if the whole costs c, in cents, rounded half
// up once. whole must be positive. Part returns false on overflow.
func (c Cost) Part(part, whole Grams) (Cents, bool) {
	cost := new(big.Int).SetUint64(c.hi)
	cost.Lsh(cost, 64).Or(cost, new(big.Int).SetUint64(c.lo))
	cost.Mul(cost, big.NewInt(int64(part)))
	by := new(big.Int).Mul(big.NewInt(int64(whole)), big.NewInt(GramsPerTonne))
	cost.Lsh(cost, 1).Add(cost, by).Quo(cost, by.Lsh(by, 1))
	return Cents(cost.Int64()), cost.IsInt64()
}

// Adder adds to sums and keeps the last error, ErrOverflow or ErrUnknown. After an error
// the sum is unchanged.
type Adder struct{ Err error }

// Grams adds grams to a sum of grams.
func (a *Adder) Grams(to *Grams, more Grams) { add(a, to, more, AddGrams) }

// Cents adds cents to a sum of cents.
func (a *Adder) Cents(to *Cents, more Cents) { add(a, to, more, AddCents) }

// Cost adds a cost to an exact sum of costs.
func (a *Adder) Cost(to *Cost, more Cost) { add(a, to, more, Cost.Add) }

func add[T any](a *Adder, to *T, more T, add func(T, T) (T, error)) {
	whole, err := add(*to, more)
	if err != nil {
		a.Err = err
		return
	}
	*to = whole
}
