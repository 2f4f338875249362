package model_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/texttest"
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
		must.Need(t,
			rest >= 0 && rest < model.GramsPerTonne && g.IsWhole() == (rest == 0) && g.IsWhole() == (up == down) &&
				up-down <= 1 && up >= down, g, down, up)
		must.Equal(t, int64(must.Get(model.WholeTonnes(down))), down*model.GramsPerTonne, down)
	})
	if g := model.UnknownGrams; g.Tonnes() != 0 || g.TonnesUp() != 0 || g.IsWhole() || g.Known() ||
		!model.Grams(0).Known() {
		t.Errorf("unknown grams are %d tonnes", g.Tonnes())
	}
	for _, tonnes := range []int64{9_223_372_036_855, -1} {
		if g, err := model.WholeTonnes(tonnes); !errors.Is(err, model.ErrOverflow) {
			t.Errorf("%d t are %d g, %v", tonnes, g, err)
		}
	}
}

// twoNumbers reads the input of a row that has two.
func twoNumbers(text string) (a, b int64) {
	must.Get(fmt.Sscan(text, &a, &b))
	return a, b
}

func TestAmountsAsUsersReadThem(t *testing.T) {
	texttest.Table(t, "amounts", func(text string) string {
		n := must.Get(strconv.ParseInt(text, 10, 64))
		g, c := model.Grams(n), model.Cents(n)
		return fmt.Sprintf("%s, %s\namount %s, rounded %s\nchange %s, rounded %s", g.FormatTonnes(), g.FormatGrams(),
			c.FormatDollars(), c.FormatRounded(), c.FormatChange(), c.FormatRoundedChange())
	})
	must.Equal(t, model.UnknownPrice.FormatDollars(), "?")
}

func TestSumsAreExactOrAnError(t *testing.T) {
	exactly := func(t *rapid.T, a, b, sum int64, err error) {
		exact := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		if exact.IsInt64() != (err == nil) || err == nil && sum != exact.Int64() ||
			err != nil && !errors.Is(err, model.ErrOverflow) {
			t.Fatalf("%d + %d = %d, %v; exactly %s", a, b, sum, err, exact)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := modeltest.DrawGrams(t, "a"), modeltest.DrawGrams(t, "b")
		sum, err := model.AddGrams(a, b)
		exactly(t, int64(a), int64(b), int64(sum), err)
		shown := a.Plus(b)
		must.Need(t, (err != nil || shown == sum) && (err == nil || shown == model.UnknownGrams), a, b, shown)
		c, d := model.Cents(rapid.Int64().Draw(t, "c")), model.Cents(rapid.Int64().Draw(t, "d"))
		cents, err := model.AddCents(c, d)
		exactly(t, int64(c), int64(d), int64(cents), err)
	})
	sum, err := model.AddGrams(model.UnknownGrams, 7)
	if a, b := model.UnknownGrams.Plus(7),
		model.Grams(7).Plus(model.UnknownGrams); sum != 7 || err != nil || a.Known() || b.Known() {
		t.Errorf("with unknown grams: %d, %v, %d, %d", sum, err, a, b)
	}
}

func TestCostIsGramsTimesPriceRoundedHalfUp(t *testing.T) {
	texttest.Table(t, "costs", func(text string) string {
		grams, price := twoNumbers(text)
		cost, err := model.CostOf(model.Grams(grams), model.PriceCents(price))
		cents, tooMuch := cost.Cents()
		switch {
		case errors.Is(err, model.ErrUnknown):
			return "unknown"
		case errors.Is(tooMuch, model.ErrOverflow):
			return "too much"
		}
		return cents.String()
	})
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
		if text, tooMuch := sum.ExactCents(); tooMuch == nil {
			written, ok := new(big.Rat).SetString(text)
			must.Hold(t, ok && written.Cmp(new(big.Rat).SetFrac(exact, big.NewInt(model.GramsPerTonne))) == 0, text, exact)
		}
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
	texttest.Table(t, "differences", func(text string) string {
		price, base := twoNumbers(text)
		if d, ok := model.Difference(model.PriceCents(price), model.PriceCents(base)); ok {
			return d.String()
		}
		return "none"
	})
	rapid.Check(t, func(t *rapid.T) {
		price, base := modeltest.DrawPrice(t, "price"), max(modeltest.DrawPrice(t, "base"), 1)
		d, ok := model.Difference(price, base)
		gap := new(big.Int).Sub(big.NewInt(int64(price)), big.NewInt(int64(base)))
		tooFar := gap.CmpAbs(new(big.Int).Mul(big.NewInt(int64(base)), big.NewInt(1_000_000))) >= 0
		must.Need(t, ok != tooFar, "Difference(", price, base, d, ok)
		if ok {
			modeltest.SameAsExact(t, int64(max(d, -d)), nil, new(big.Int).Mul(new(big.Int).Abs(gap), big.NewInt(1000)),
				big.NewInt(int64(base)))
			must.Hold(t, d == 0 || (d > 0) == (gap.Sign() > 0), "Difference(", price, base, d)
		}
	})
}

// numbers are texts that a service could send, or a user type, for a number.
var numbers = []string{
	"0", "1000000", "007", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551617",
	strings.Repeat("9", 38),
	"9999999999999999999999x", "", " ", " 1", "1 ", "1\n", "+5", "-1", "-0", "1e6", "1.5", "1.0", "1,000", "0x10", "1_000",
	"NaN", "null", "١٢", "1\x00",
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
	texttest.Table(t, "typed_numbers", func(text string) string {
		tonnes, noTonnes := model.ParseTonnes(text)
		price, noPrice := model.ParseDollars(text)
		number, noNumber := model.ParseNumber(text)
		columns := []string{tonnes.String() + " g", price.String() + " cents", model.FormatNumber(number)}
		for i, err := range []error{noTonnes, noPrice, noNumber} {
			switch {
			case errors.Is(err, model.ErrNotDigits):
				columns[i] = "not digits"
			case errors.Is(err, model.ErrOutOfRange):
				columns[i] = "out of range"
			default:
				must.Succeed(t, err)
			}
		}
		return strings.Join(columns, " | ")
	})
}

func TestTimestampsAreReadOrKeptAsText(t *testing.T) {
	texttest.Table(t, "timestamps", func(text string) string {
		read := model.ParseTimestamp(text)
		must.Equal(t, read.Text, text)
		must.Equal(t, read.Known(), !read.Time.IsZero(), text)
		if !read.Known() {
			return "unknown"
		}
		return read.Time.UTC().Format(time.RFC3339Nano)
	})
	at := model.At(time.Date(2026, 2, 8, 12, 46, 0, 123456789, time.FixedZone("CET", 3600)))
	must.Hold(t, at.Text == "2026-02-08T11:46:00.123Z" && at.Known(), "At =", at)
}
