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

// wireNumbers are the texts that a service could send for a number, with what
// each must be read as.
var wireNumbers = []struct {
	text string
	want int64
	err  error
}{
	{"0", 0, nil},
	{"1000000", 1_000_000, nil},
	{"007", 7, nil},
	{"9007199254740993", 1<<53 + 1, nil},
	{"9223372036854775807", math.MaxInt64, nil},
	{"9223372036854775808", 0, model.ErrOutOfRange},
	{"18446744073709551617", 0, model.ErrOutOfRange},
	{"99999999999999999999999999999999999999", 0, model.ErrOutOfRange},
	{"9999999999999999999999x", 0, model.ErrNotDigits},
	{"", 0, model.ErrNotDigits},
	{" ", 0, model.ErrNotDigits},
	{" 1", 0, model.ErrNotDigits},
	{"1 ", 0, model.ErrNotDigits},
	{"1\n", 0, model.ErrNotDigits},
	{"+5", 0, model.ErrNotDigits},
	{"-1", 0, model.ErrNotDigits},
	{"-0", 0, model.ErrNotDigits},
	{"1e6", 0, model.ErrNotDigits},
	{"1.5", 0, model.ErrNotDigits},
	{"1.0", 0, model.ErrNotDigits},
	{"1,000", 0, model.ErrNotDigits},
	{"0x10", 0, model.ErrNotDigits},
	{"1_000", 0, model.ErrNotDigits},
	{"NaN", 0, model.ErrNotDigits},
	{"null", 0, model.ErrNotDigits},
	{"١٢", 0, model.ErrNotDigits},
	{"1\x00", 0, model.ErrNotDigits},
}

func TestParseGramsTakesOnlyDigitsThatFit(t *testing.T) {
	t.Parallel()
	for _, c := range wireNumbers {
		got, err := model.ParseGrams(c.text)
		if int64(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("ParseGrams(%q) = %d, %v; want %d, %v", c.text, got, err, c.want, c.err)
		}
	}
}

func TestGramsRoundTripAsTheInterfaceWritesThem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := modeltest.DrawGrams(t, "g")
		if back, err := model.ParseGrams(g.String()); err != nil || back != g {
			t.Fatalf("ParseGrams(%q) = %d, %v", g.String(), back, err)
		}
	})
}

func TestGramsRoundTripAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := modeltest.DrawGrams(t, "g")
		shown := string(g.AppendTonnes(nil))
		if back, err := model.ParseTonnes(shown); err != nil || back != g {
			t.Fatalf("ParseTonnes(%q) = %d, %v; want %d", shown, back, err, g)
		}
	})
}

func TestTonnesOfAQuantity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		g        model.Grams
		down, up int64
		whole    bool
	}{
		{0, 0, 0, true},
		{1, 0, 1, false},
		{999_999, 0, 1, false},
		{1_000_000, 1, 1, true},
		{2_500_000, 2, 3, false},
		{math.MaxInt64, 9_223_372_036_854, 9_223_372_036_855, false},
		{model.UnknownGrams, 0, 0, false},
	} {
		if got := c.g.Tonnes(); got != c.down {
			t.Errorf("%d g: Tonnes() = %d, want %d", c.g, got, c.down)
		}
		if got := c.g.TonnesUp(); got != c.up {
			t.Errorf("%d g: TonnesUp() = %d, want %d", c.g, got, c.up)
		}
		if got := c.g.IsWhole(); got != c.whole {
			t.Errorf("%d g: IsWhole() = %t, want %t", c.g, got, c.whole)
		}
	}
}

func TestTonnesAreMonotonicAndBracketTheGrams(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := modeltest.DrawGrams(t, "a"), modeltest.DrawGrams(t, "b")
		if a > b {
			a, b = b, a
		}
		if a.Tonnes() > b.Tonnes() || a.TonnesUp() > b.TonnesUp() {
			t.Fatalf("%d g and %d g are not in order as tonnes", a, b)
		}
		if up := a.TonnesUp() - a.Tonnes(); up != 0 && up != 1 || (up == 0) != a.IsWhole() {
			t.Fatalf("%d g: %d tonnes down, %d up", a, a.Tonnes(), a.TonnesUp())
		}
	})
}

func TestQuantitiesAsPeopleReadThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		g             model.Grams
		tonnes, grams string
	}{
		{0, "0 t", "0 g"},
		{1, "0.000001 t", "1 g"},
		{999_980, "0.999980 t", "999,980 g"},
		{1_000_000, "1 t", "1,000,000 g"},
		{12_500_000, "12.500000 t", "12,500,000 g"},
		{12_400_000_000, "12,400 t", "12,400,000,000 g"},
		{math.MaxInt64, "9,223,372,036,854.775807 t", "9,223,372,036,854,775,807 g"},
		{model.UnknownGrams, "? t", "? g"},
	} {
		if got := c.g.FormatTonnes(); got != c.tonnes {
			t.Errorf("%d g: FormatTonnes() = %q, want %q", c.g, got, c.tonnes)
		}
		if got := c.g.FormatGrams(); got != c.grams {
			t.Errorf("%d g: FormatGrams() = %q, want %q", c.g, got, c.grams)
		}
	}
}

func TestParseTonnesReadsWhatAPersonTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want model.Grams
		err  error
	}{
		{"500", 500_000_000, nil},
		{" 500 ", 500_000_000, nil},
		{"1,234", 1_234_000_000, nil},
		{"1,234,567.5", 1_234_567_500_000, nil},
		{"0.99998", 999_980, nil},
		{"0.000001", 1, nil},
		{"9223372036854.775807", math.MaxInt64, nil},
		{"9223372036854.775808", 0, model.ErrOutOfRange},
		{"9223372036855", 0, model.ErrOutOfRange},
		{"0.0000001", 0, model.ErrNotDigits},
		{"12,34", 0, model.ErrNotDigits},
		{",123", 0, model.ErrNotDigits},
		{"1234,567", 0, model.ErrNotDigits},
		{"1.", 0, model.ErrNotDigits},
		{".5", 0, model.ErrNotDigits},
		{"", 0, model.ErrNotDigits},
		{"-1", 0, model.ErrNotDigits},
		{"1e3", 0, model.ErrNotDigits},
		{"1.5.2", 0, model.ErrNotDigits},
		{"1 000", 0, model.ErrNotDigits},
	} {
		got, err := model.ParseTonnes(c.text)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("ParseTonnes(%q) = %d, %v; want %d, %v", c.text, got, err, c.want, c.err)
		}
	}
}

func TestWholeTonnesRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tonnes int64
		want   model.Grams
		err    error
	}{
		{0, 0, nil},
		{3, 3_000_000, nil},
		{9_223_372_036_854, 9_223_372_036_854_000_000, nil},
		{9_223_372_036_855, 0, model.ErrOverflow},
		{-1, 0, model.ErrOverflow},
	} {
		if got, err := model.WholeTonnes(c.tonnes); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("WholeTonnes(%d) = %d, %v; want %d, %v", c.tonnes, got, err, c.want, c.err)
		}
	}
}

func TestAddGramsAgreesWithBigIntegers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := modeltest.DrawGrams(t, "a"), modeltest.DrawGrams(t, "b")
		exact := new(big.Int).Add(big.NewInt(int64(a)), big.NewInt(int64(b)))
		sum, err := model.AddGrams(a, b)
		if exact.IsInt64() != (err == nil) || err == nil && int64(sum) != exact.Int64() {
			t.Fatalf("AddGrams(%d, %d) = %d, %v; exactly %s", a, b, sum, err, exact)
		}
		shown := a.AddUpTo(b)
		if err == nil && shown != sum || err != nil && shown != math.MaxInt64 {
			t.Fatalf("(%d).AddUpTo(%d) = %d", a, b, shown)
		}
	})
}

func TestUnknownGramsCountAsNothing(t *testing.T) {
	t.Parallel()
	if sum, err := model.AddGrams(model.UnknownGrams, 7); sum != 7 || err != nil {
		t.Errorf("unknown + 7 g = %d, %v", sum, err)
	}
	if a, b := model.UnknownGrams.AddUpTo(7), model.Grams(7).AddUpTo(model.UnknownGrams); a.Known() || b.Known() {
		t.Errorf("totals with unknown grams are %d, %d", a, b)
	}
	if model.UnknownGrams.Known() || !model.Grams(0).Known() {
		t.Error("0 g is known, UnknownGrams is not")
	}
}

func TestParseNumberReadsWhatPeopleType(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]int64{"500": 500, "1,000": 1000, " 12,345,678 ": 12_345_678, "0": 0} {
		if n, err := model.ParseNumber(typed); err != nil || n != want {
			t.Errorf("%q is %d, %v", typed, n, err)
		}
	}
	for typed, want := range map[string]error{
		"": model.ErrNotDigits, "1,00": model.ErrNotDigits, "1.5": model.ErrNotDigits, "-1": model.ErrNotDigits, "9223372036854775808": model.ErrOutOfRange,
	} {
		if _, err := model.ParseNumber(typed); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", typed, err, want)
		}
	}
}
