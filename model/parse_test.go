package model_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"tonne/model/must"

	"tonne/model"
)

// numbers are texts that a service could send, or a user type, for a number.
var numbers = []string{
	"0", "1000000", "007", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551617", strings.Repeat("9", 38),
	"9999999999999999999999x", "", " ", " 1", "1 ", "1\n", "+5", "-1", "-0", "1e6", "1.5", "1.0", "1,000", "0x10", "1_000", "NaN", "null", "١٢", "1\x00",
	"$6.00", "1,234.5", "0.000001", " 500 ",
}

// TestParseGramsTakesOnlyDigitsThatFit compares ParseGrams with math/big, which accepts more.
func TestParseGramsTakesOnlyDigitsThatFit(t *testing.T) {
	for _, text := range numbers {
		sameAsBig(t, text)
	}
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
