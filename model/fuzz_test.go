package model_test

import (
	"math/big"
	"strings"
	"testing"

	"tonne/model"
)

// FuzzParseGrams compares ParseGrams with math/big, which accepts more. Accepted numbers
// must have the same value.
func FuzzParseGrams(f *testing.F) {
	seedNumbers(f)
	f.Fuzz(func(t *testing.T, s string) {
		g, err := model.ParseGrams(s)
		sameAsBig(t, s, int64(g), err)
	})
}

func FuzzParseTonnes(f *testing.F) {
	seedNumbers(f)
	f.Fuzz(func(t *testing.T, s string) {
		g, err := model.ParseTonnes(s)
		if err != nil {
			return
		}
		sameAsDecimal(t, s, int64(g), model.GramsPerTonne)
		if back, err := model.ParseTonnes(string(g.AppendTonnes(nil))); err != nil || back != g {
			t.Errorf("%q is read as %d g, which is shown as something else", s, g)
		}
	})
}

func FuzzParseDollars(f *testing.F) {
	seedNumbers(f)
	f.Fuzz(func(t *testing.T, s string) {
		p, err := model.ParseDollars(s)
		if err != nil {
			return
		}
		sameAsDecimal(t, strings.TrimPrefix(strings.TrimSpace(s), "$"), int64(p), 100)
		if back, err := model.ParseDollars(p.FormatDollars()); err != nil || back != p {
			t.Errorf("%q is read as %d cents, which are shown as something else", s, p)
		}
	})
}

func seedNumbers(f *testing.F) {
	for _, c := range wireNumbers {
		f.Add(c.text)
	}
	for _, s := range []string{"$6.00", "1,234.5", "0.000001", " 500 "} {
		f.Add(s)
	}
}

func sameAsBig(t *testing.T, s string, got int64, err error) {
	t.Helper()
	onlyDigits := s != "" && strings.Trim(s, "0123456789") == ""
	exact, ok := new(big.Int).SetString(s, 10)
	if want := onlyDigits && ok && exact.IsInt64(); want != (err == nil) {
		t.Fatalf("%q: %v", s, err)
	}
	if err == nil && exact.Int64() != got {
		t.Fatalf("%q is read as %d", s, got)
	}
}

func sameAsDecimal(t *testing.T, s string, got, scale int64) {
	t.Helper()
	exact, ok := new(big.Rat).SetString(strings.ReplaceAll(strings.TrimSpace(s), ",", ""))
	if !ok || exact.Mul(exact, new(big.Rat).SetInt64(scale)).Cmp(new(big.Rat).SetInt64(got)) != 0 {
		t.Fatalf("%q is read as %d/%d", s, got, scale)
	}
}
