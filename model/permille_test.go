package model_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/modeltest"
)

func TestDifferenceInPerCent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		price, base model.PriceCents
		want        string
	}{
		{620, 595, "+4.2%"},
		{680, 710, "−4.2%"},
		{595, 595, "0.0%"},
		{0, 595, "−100.0%"},
		{2001, 2000, "+0.1%"},
		{1999, 2000, "−0.1%"},
		{20_009, 20_000, "0.0%"},
		{123_456, 10, "+1,234,460.0%"},
	} {
		got, ok := model.Difference(c.price, c.base)
		if !ok || got.String() != c.want {
			t.Errorf("Difference(%d, %d) = %s, %t; want %s", c.price, c.base, got, ok, c.want)
		}
	}
}

func TestThereIsNoDifferenceToNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ price, base model.PriceCents }{
		{620, 0},
		{620, model.UnknownPrice},
		{model.UnknownPrice, 620},
		{math.MaxInt64, 1},
		// The quotient is one below 2^64 and rounding it up must not wrap.
		{2_545_650_682_171_918_261, 138},
	} {
		if got, ok := model.Difference(c.price, c.base); ok {
			t.Errorf("Difference(%d, %d) = %s", c.price, c.base, got)
		}
	}
}

func TestDifferenceAgreesWithBigIntegers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		price, base := modeltest.DrawPrice(t, "price"), modeltest.DrawPrice(t, "base")
		got, ok := model.Difference(price, base)
		if base == 0 {
			if ok {
				t.Fatal("a difference to zero")
			}
			return
		}
		gap := new(big.Int).Sub(big.NewInt(int64(price)), big.NewInt(int64(base)))
		sign := int64(gap.Sign())
		tooFar := new(big.Int).Mul(big.NewInt(int64(base)), big.NewInt(1_000_000))
		useful := gap.CmpAbs(tooFar) < 0
		gap.Abs(gap).Mul(gap, big.NewInt(2000)).Add(gap, big.NewInt(int64(base)))
		want := gap.Quo(gap, new(big.Int).Lsh(big.NewInt(int64(base)), 1))
		if ok != useful {
			t.Fatalf("ok = %t for %s tenths of a per cent", ok, want)
		}
		if ok && int64(got) != sign*want.Int64() {
			t.Fatalf("Difference(%d, %d) = %d, want %d × %s", price, base, got, sign, want)
		}
	})
}
