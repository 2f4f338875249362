package model_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
)

func TestNumbersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, p := modeltest.DrawGrams(t, "g"), modeltest.DrawPrice(t, "p")
		sent, err := model.ParseGrams(g.String())
		shown, err2 := model.ParseTonnes(string(g.AppendTonnes(nil)))
		must.Need(t, errors.Join(err, err2) == nil && sent == g && shown == g, g, sent, shown)
		cents, err := model.ParseDigits(p.String())
		dollars, err2 := model.ParseDollars(p.FormatDollars())
		must.Hold(t, errors.Join(err, err2) == nil && model.PriceCents(cents) == p && dollars == p, p, cents, dollars)
	})
}

func TestTonnesBracketTheGrams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := modeltest.DrawGrams(t, "g")
		down, up := g.Tonnes(), g.TonnesUp()
		rest := int64(g) - down*model.GramsPerTonne
		must.Need(t, rest >= 0 && rest < model.GramsPerTonne && g.IsWhole() == (rest == 0) && g.IsWhole() == (up == down) && up-down <= 1 && up >= down, g, down, up)
		must.Equal(t, int64(must.Get(model.WholeTonnes(down))), down*model.GramsPerTonne, down)
	})
	if g := model.UnknownGrams; g.Tonnes() != 0 || g.TonnesUp() != 0 || g.IsWhole() || g.Known() || !model.Grams(0).Known() {
		t.Errorf("unknown grams are %d tonnes", g.Tonnes())
	}
	for _, tonnes := range []int64{9_223_372_036_855, -1} {
		if g, err := model.WholeTonnes(tonnes); !errors.Is(err, model.ErrOverflow) {
			t.Errorf("%d t are %d g, %v", tonnes, g, err)
		}
	}
}

func TestQuantitiesAsUsersReadThem(t *testing.T) {
	for g, want := range map[model.Grams][2]string{
		0:                  {"0 t", "0 g"},
		1:                  {"0.000001 t", "1 g"},
		999_980:            {"0.999980 t", "999,980 g"},
		1_000_000:          {"1 t", "1,000,000 g"},
		12_500_000:         {"12.500000 t", "12,500,000 g"},
		12_400_000_000:     {"12,400 t", "12,400,000,000 g"},
		math.MaxInt64:      {"9,223,372,036,854.775807 t", "9,223,372,036,854,775,807 g"},
		model.UnknownGrams: {"? t", "? g"},
	} {
		must.Equal(t, [2]string{g.FormatTonnes(), g.FormatGrams()}, want, g)
	}
}

func TestMoneyAsUsersReadIt(t *testing.T) {
	for c, want := range map[model.Cents][2]string{
		0:             {"$0.00", "$0.00"},
		5:             {"$0.05", "+$0.05"},
		-1:            {"−$0.01", "−$0.01"},
		840:           {"$8.40", "+$8.40"},
		248_000:       {"$2,480.00", "+$2,480.00"},
		-123_456_789:  {"−$1,234,567.89", "−$1,234,567.89"},
		math.MaxInt64: {"$92,233,720,368,547,758.07", "+$92,233,720,368,547,758.07"},
		math.MinInt64: {"−$92,233,720,368,547,758.08", "−$92,233,720,368,547,758.08"},
	} {
		must.Equal(t, [2]string{c.FormatDollars(), c.FormatChange()}, want, c)
	}
	must.Equal(t, model.UnknownPrice.FormatDollars(), "?")
}

func TestSumsAreExactOrAnError(t *testing.T) {
	exactly := func(t *rapid.T, a, b, sum int64, err error) {
		exact := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		if exact.IsInt64() != (err == nil) || err == nil && sum != exact.Int64() || err != nil && !errors.Is(err, model.ErrOverflow) {
			t.Fatalf("%d + %d = %d, %v; exactly %s", a, b, sum, err, exact)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := modeltest.DrawGrams(t, "a"), modeltest.DrawGrams(t, "b")
		sum, err := model.AddGrams(a, b)
		exactly(t, int64(a), int64(b), int64(sum), err)
		shown := a.AddUpTo(b)
		must.Need(t, (err != nil || shown == sum) && (err == nil || shown == math.MaxInt64), a, b, shown)
		c, d := model.Cents(rapid.Int64().Draw(t, "c")), model.Cents(rapid.Int64().Draw(t, "d"))
		cents, err := model.AddCents(c, d)
		exactly(t, int64(c), int64(d), int64(cents), err)
	})
	sum, err := model.AddGrams(model.UnknownGrams, 7)
	if a, b := model.UnknownGrams.AddUpTo(7), model.Grams(7).AddUpTo(model.UnknownGrams); sum != 7 || err != nil || a.Known() || b.Known() {
		t.Errorf("with unknown grams: %d, %v, %d, %d", sum, err, a, b)
	}
}

func TestCostIsGramsTimesPriceRoundedHalfUp(t *testing.T) {
	for _, c := range []struct {
		name  string
		grams model.Grams
		price model.PriceCents
		want  model.Cents
		err   error
	}{
		{"below half a cent", 499_999, 1, 0, nil},
		{"exactly half a cent", 500_000, 1, 1, nil},
		{"the worked fraction", 999_980, 620, 620, nil},
		{"the largest that fits", math.MaxInt64, 1_000_000, math.MaxInt64, nil},
		{"one cent too much", math.MaxInt64, 1_000_001, 0, model.ErrOverflow},
		{"far too much", math.MaxInt64, math.MaxInt64, 0, model.ErrOverflow},
		{"unknown quantity", model.UnknownGrams, 1, 0, model.ErrUnknown},
		{"unknown price", 1, model.UnknownPrice, 0, model.ErrUnknown},
	} {
		cost, err := model.CostOf(c.grams, c.price)
		cents, tooMuch := cost.Cents()
		if err == nil {
			err = tooMuch
		}
		must.Hold(t, cents == c.want && errors.Is(err, c.err), c.name, c.grams, c.price, cents, err, c.want, c.err)
	}
}

func TestSumOfCostsIsRoundedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum model.Cost
		exact := new(big.Int)
		for range rapid.IntRange(0, 8).Draw(t, "terms") {
			g, p := modeltest.DrawGrams(t, "g"), modeltest.DrawPrice(t, "p")
			cost := must.Get(model.CostOf(g, p))
			sum = must.Get(sum.Add(cost))
			exact.Add(exact, new(big.Int).Mul(big.NewInt(int64(g)), big.NewInt(int64(p))))
		}
		cents, err := sum.Cents()
		modeltest.SameAsExact(t, int64(cents), err, exact, big.NewInt(model.GramsPerTonne))
		by := rapid.Int64Range(1, math.MaxInt64).Draw(t, "by")
		average, err := sum.Average(model.Grams(by))
		modeltest.SameAsExact(t, int64(average), err, exact, big.NewInt(by))
	})
	if p, err := (model.Cost{}).Average(0); err == nil || p.Known() {
		t.Errorf("average of nothing = %d, %v", p, err)
	}
}

func TestCostsOverflowAsAnErrorNeverAWrap(t *testing.T) {
	largest, err := model.CostOf(math.MaxInt64, math.MaxInt64)
	sum, added := model.Cost{}, 0
	for ; err == nil && added < 10; added++ {
		sum, err = sum.Add(largest)
	}
	// (2^63−1)² fits into 2^128 four times.
	must.Hold(t, added == 5 && errors.Is(err, model.ErrOverflow) && sum == (model.Cost{}), "after", added, err)
}

func TestDifferenceInPerCent(t *testing.T) {
	for _, c := range []struct {
		price, base model.PriceCents
		want        string
	}{
		{620, 595, "+4.2%"}, {680, 710, "−4.2%"}, {595, 595, "0.0%"}, {0, 595, "−100.0%"}, {2001, 2000, "+0.1%"}, {1999, 2000, "−0.1%"}, {20_009, 20_000, "0.0%"},
		{123_456, 10, "+1,234,460.0%"}, {620, 0, ""}, {620, model.UnknownPrice, ""}, {model.UnknownPrice, 620, ""}, {math.MaxInt64, 1, ""},
		// The quotient is one below 2^64 and rounding it up must not wrap.
		{2_545_650_682_171_918_261, 138, ""},
	} {
		if d, ok := model.Difference(c.price, c.base); ok != (c.want != "") || ok && d.String() != c.want {
			t.Errorf("Difference(%d, %d) = %s, %t; want %s", c.price, c.base, d, ok, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		price, base := modeltest.DrawPrice(t, "price"), max(modeltest.DrawPrice(t, "base"), 1)
		d, ok := model.Difference(price, base)
		gap := new(big.Int).Sub(big.NewInt(int64(price)), big.NewInt(int64(base)))
		tooFar := gap.CmpAbs(new(big.Int).Mul(big.NewInt(int64(base)), big.NewInt(1_000_000))) >= 0
		must.Need(t, ok != tooFar, "Difference(", price, base, d, ok)
		if ok {
			modeltest.SameAsExact(t, int64(max(d, -d)), nil, new(big.Int).Mul(new(big.Int).Abs(gap), big.NewInt(1000)), big.NewInt(int64(base)))
			must.Hold(t, d == 0 || (d > 0) == (gap.Sign() > 0), "Difference(", price, base, d)
		}
	})
}

// numbers are texts that a service could send, or a user type, for a number.
var numbers = []string{
	"0", "1000000", "007", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551617", strings.Repeat("9", 38),
	"9999999999999999999999x", "", " ", " 1", "1 ", "1\n", "+5", "-1", "-0", "1e6", "1.5", "1.0", "1,000", "0x10", "1_000", "NaN", "null", "١٢", "1\x00",
	"$6.00", "1,234.5", "0.000001", " 500 ",
}

func FuzzParseGrams(f *testing.F) {
	fuzzNumbers(f, sameAsBig)
}

func sameAsBig(t *testing.T, text string) {
	t.Helper()
	g, err := model.ParseGrams(text)
	exact, ok := new(big.Int).SetString(text, 10)
	switch digits := text != "" && strings.Trim(text, "0123456789") == ""; {
	case !digits && !errors.Is(err, model.ErrNotDigits):
		t.Errorf("%q: %v", text, err)
	case digits && (!ok || !exact.IsInt64()) && !errors.Is(err, model.ErrOutOfRange):
		t.Errorf("%q: %v", text, err)
	case digits && ok && exact.IsInt64() && (err != nil || int64(g) != exact.Int64()):
		t.Errorf("%q is read as %d, %v", text, g, err)
	}
}

func fuzzNumbers(f *testing.F, check func(t *testing.T, text string)) {
	for _, text := range numbers {
		f.Add(text)
	}
	f.Fuzz(check)
}

func FuzzParseTonnes(f *testing.F) {
	fuzzNumbers(f, func(t *testing.T, text string) {
		g, err := model.ParseTonnes(text)
		if err != nil {
			return
		}
		sameAsDecimal(t, text, int64(g), model.GramsPerTonne)
		must.Equal(t, must.Get(model.ParseTonnes(string(g.AppendTonnes(nil)))), g, text)
	})
}

func FuzzParseDollars(f *testing.F) {
	fuzzNumbers(f, func(t *testing.T, text string) {
		p, err := model.ParseDollars(text)
		if err != nil {
			return
		}
		sameAsDecimal(t, strings.TrimPrefix(strings.TrimSpace(text), "$"), int64(p), 100)
		must.Equal(t, must.Get(model.ParseDollars(p.FormatDollars())), p, text)
	})
}

func sameAsDecimal(t *testing.T, text string, got, scale int64) {
	t.Helper()
	exact, ok := new(big.Rat).SetString(strings.ReplaceAll(strings.TrimSpace(text), ",", ""))
	if !ok || exact.Mul(exact, new(big.Rat).SetInt64(scale)).Cmp(new(big.Rat).SetInt64(got)) != 0 {
		t.Fatalf("%q is read as %d/%d", text, got, scale)
	}
}

func TestNumbersThatUsersType(t *testing.T) {
	for name, c := range map[string]struct {
		parse      func(string) (int64, error)
		read       map[string]int64
		notNumbers []string
		tooLarge   []string
	}{
		"tonnes": {
			func(text string) (int64, error) { g, err := model.ParseTonnes(text); return int64(g), err },
			map[string]int64{
				"500": 500e6, " 500 ": 500e6, "1,234": 1_234e6, "1,234,567.5": 1_234_567_500_000, "0.99998": 999_980, "0.000001": 1, "9223372036854.775807": math.MaxInt64,
			},
			[]string{"0.0000001", "12,34", ",123", "1234,567", "1.", ".5", "", "-1", "1e3", "1.5.2", "1 000"},
			[]string{"9223372036854.775808", "9223372036855"},
		},
		"dollars": {
			func(text string) (int64, error) { p, err := model.ParseDollars(text); return int64(p), err },
			map[string]int64{"6": 600, "$6": 600, " $6.00 ": 600, "6.2": 620, "0.05": 5, "$1,234.50": 123_450, "92233720368547758.07": math.MaxInt64},
			[]string{"6.001", "6.", "$", "$$6", "6$", "-6", "+6", "6e2", "1,23"},
			[]string{"92233720368547758.08", "92233720368547759"},
		},
		"whole numbers": {
			model.ParseNumber,
			map[string]int64{"500": 500, "1,000": 1000, " 12,345,678 ": 12_345_678, "0": 0},
			[]string{"", "1,00", "1.5", "-1"},
			[]string{"9223372036854775808"},
		},
	} {
		for text, want := range c.read {
			must.Equal(t, must.Get(c.parse(text)), want, name, text)
		}
		for want, texts := range map[error][]string{model.ErrNotDigits: c.notNumbers, model.ErrOutOfRange: c.tooLarge} {
			for _, text := range texts {
				if n, err := c.parse(text); !errors.Is(err, want) {
					t.Errorf("%s: %q is read as %d, %v; want %v", name, text, n, err, want)
				}
			}
		}
	}
}
