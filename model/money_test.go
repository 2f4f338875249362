package model_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/modeltest"
)

func TestParseDollarsReadsWhatAPersonTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want model.PriceCents
		err  error
	}{
		{"6", 600, nil},
		{"$6", 600, nil},
		{" $6.00 ", 600, nil},
		{"6.2", 620, nil},
		{"0.05", 5, nil},
		{"$1,234.50", 123_450, nil},
		{"92233720368547758.07", math.MaxInt64, nil},
		{"92233720368547758.08", 0, model.ErrOutOfRange},
		{"92233720368547759", 0, model.ErrOutOfRange},
		{"6.001", 0, model.ErrNotDigits},
		{"6.", 0, model.ErrNotDigits},
		{"$", 0, model.ErrNotDigits},
		{"$$6", 0, model.ErrNotDigits},
		{"6$", 0, model.ErrNotDigits},
		{"-6", 0, model.ErrNotDigits},
		{"+6", 0, model.ErrNotDigits},
		{"6e2", 0, model.ErrNotDigits},
		{"1,23", 0, model.ErrNotDigits},
	} {
		got, err := model.ParseDollars(c.text)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("ParseDollars(%q) = %d, %v; want %d, %v", c.text, got, err, c.want, c.err)
		}
	}
}

func TestPricesRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := modeltest.DrawPrice(t, "p")
		if back, err := model.ParseDigits(p.String()); err != nil || model.PriceCents(back) != p {
			t.Fatalf("ParseDigits(%q) = %d, %v", p.String(), back, err)
		}
		if back, err := model.ParseDollars(p.FormatDollars()); err != nil || back != p {
			t.Fatalf("ParseDollars(%q) = %d, %v", p.FormatDollars(), back, err)
		}
	})
}

func TestMoneyAsPeopleReadIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		c             model.Cents
		plain, change string
	}{
		{0, "$0.00", "$0.00"},
		{5, "$0.05", "+$0.05"},
		{-1, "−$0.01", "−$0.01"},
		{840, "$8.40", "+$8.40"},
		{248_000, "$2,480.00", "+$2,480.00"},
		{-123_456_789, "−$1,234,567.89", "−$1,234,567.89"},
		{math.MaxInt64, "$92,233,720,368,547,758.07", "+$92,233,720,368,547,758.07"},
		{math.MinInt64, "−$92,233,720,368,547,758.08", "−$92,233,720,368,547,758.08"},
	} {
		if got := c.c.FormatDollars(); got != c.plain {
			t.Errorf("Cents(%d).FormatDollars() = %q, want %q", c.c, got, c.plain)
		}
		if got := c.c.FormatChange(); got != c.change {
			t.Errorf("Cents(%d).FormatChange() = %q, want %q", c.c, got, c.change)
		}
	}
	if got := model.UnknownPrice.FormatDollars(); got != "?" {
		t.Errorf("an unknown price is shown as %q", got)
	}
}

func TestAddCentsAgreesWithBigIntegers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := model.Cents(rapid.Int64().Draw(t, "a")), model.Cents(rapid.Int64().Draw(t, "b"))
		exact := new(big.Int).Add(big.NewInt(int64(a)), big.NewInt(int64(b)))
		sum, err := model.AddCents(a, b)
		if exact.IsInt64() != (err == nil) || err == nil && int64(sum) != exact.Int64() {
			t.Fatalf("AddCents(%d, %d) = %d, %v; exactly %s", a, b, sum, err, exact)
		}
	})
}

func TestCostIsGramsTimesPriceRoundedHalfUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		grams model.Grams
		price model.PriceCents
		want  model.Cents
		err   error
	}{
		{"nothing", 0, 620, 0, nil},
		{"free", 1_000_000, 0, 0, nil},
		{"one tonne", 1_000_000, 620, 620, nil},
		{"below half a cent", 499_999, 1, 0, nil},
		{"exactly half a cent", 500_000, 1, 1, nil},
		{"the worked fraction", 999_980, 620, 620, nil},
		{"beyond 64 bits before it is divided", 40_000_000_000, 1_000_000_000, 40_000_000_000_000, nil},
		{"the largest that fits", math.MaxInt64, 1_000_000, math.MaxInt64, nil},
		{"one cent too much", math.MaxInt64, 1_000_001, 0, model.ErrOverflow},
		{"far too much", math.MaxInt64, math.MaxInt64, 0, model.ErrOverflow},
	} {
		cost, err := model.CostOf(c.grams, c.price)
		if err != nil {
			t.Errorf("%s: CostOf: %v", c.name, err)
			continue
		}
		if got, err := cost.Cents(); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %d g at %d = %d, %v; want %d, %v", c.name, c.grams, c.price, got, err, c.want, c.err)
		}
	}
}

func TestCostOfSomethingUnknownIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := model.CostOf(model.UnknownGrams, 1); !errors.Is(err, model.ErrUnknown) {
		t.Errorf("unknown quantity: %v", err)
	}
	if _, err := model.CostOf(1, model.UnknownPrice); !errors.Is(err, model.ErrUnknown) {
		t.Errorf("unknown price: %v", err)
	}
}

func TestASumOfCostsIsRoundedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var sum model.Cost
		exact, grams := new(big.Int), new(big.Int)
		for range rapid.IntRange(0, 8).Draw(t, "terms") {
			g, p := modeltest.DrawGrams(t, "g"), modeltest.DrawPrice(t, "p")
			cost, err := model.CostOf(g, p)
			if err != nil {
				t.Fatal(err)
			}
			if sum, err = sum.Add(cost); err != nil {
				t.Fatal(err)
			}
			exact.Add(exact, new(big.Int).Mul(big.NewInt(int64(g)), big.NewInt(int64(p))))
			grams.Add(grams, big.NewInt(int64(g)))
		}
		cents, err := sum.Cents()
		modeltest.SameAsExact(t, int64(cents), err, exact, big.NewInt(model.GramsPerTonne))
		if by := rapid.Int64Range(1, math.MaxInt64).Draw(t, "by"); true {
			average, err := sum.Average(model.Grams(by))
			modeltest.SameAsExact(t, int64(average), err, exact, big.NewInt(by))
		}
	})
}

func TestCostsOverflowAsAnErrorNeverAWrap(t *testing.T) {
	t.Parallel()
	largest, err := model.CostOf(math.MaxInt64, math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	sum, added := model.Cost{}, 0
	for ; err == nil && added < 10; added++ {
		sum, err = sum.Add(largest)
	}
	// (2^63−1)² goes into 2^128 four times.
	if added != 5 || !errors.Is(err, model.ErrOverflow) || sum != (model.Cost{}) {
		t.Errorf("after %d sums: %v", added, err)
	}
}

func TestThereIsNoAverageOfNothing(t *testing.T) {
	t.Parallel()
	if p, err := (model.Cost{}).Average(0); err == nil || p.Known() {
		t.Errorf("average of nothing = %d, %v", p, err)
	}
}
