package model_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
)

func TestRulesAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"best ask <= 6.00":        "best ask ≤ $6.00",
		"ask ≤ $6":                "best ask ≤ $6.00",
		"  Best  ASK<6.5 ":        "best ask < $6.50",
		"best ask > 1,234.50":     "best ask > $1,234.50",
		"ask>=0":                  "best ask ≥ $0.00",
		">= 5% under last paid":   "≥ 5.0% under last paid",
		"≥ 5 % under last paid":   "≥ 5.0% under last paid",
		"2.5% over last paid":     "≥ 2.5% over last paid",
		"> 1,000% over last paid": "> 1,000.0% over last paid",
		"available > 1000 t":      "available > 1,000 t",
		"> 1,000 t available":     "available > 1,000 t",
		"available < 0.5":         "available < 0.500000 t",
	} {
		r, err := model.ParseRule(text)
		if err != nil || r.String() != want {
			t.Errorf("ParseRule(%q) = %q, %v; want %q", text, r, err, want)
		}
	}
}

func TestTextThatIsNoRuleIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"":                               model.ErrNotARule,
		"price <= 6":                     model.ErrNotARule,
		"best ask 6.00":                  model.ErrNotARule,
		"best ask = 6.00":                model.ErrNotDigits,
		"best ask <=":                    model.ErrNotDigits,
		"best ask <= six":                model.ErrNotDigits,
		"best ask <= -6":                 model.ErrNotDigits,
		"best ask <= 92233720368547759":  model.ErrOutOfRange,
		"5 under last paid":              model.ErrNotARule,
		"<= 5% under last paid":          model.ErrNotARule,
		"0% under last paid":             model.ErrNotARule,
		"2.55% under last paid":          model.ErrNotDigits,
		"99999999999% under last paid":   model.ErrOutOfRange,
		"available > 1000 kg":            model.ErrNotDigits,
		"available > 99999999999999999t": model.ErrOutOfRange,
	} {
		if r, err := model.ParseRule(text); !errors.Is(err, want) || r != (model.Rule{}) {
			t.Errorf("ParseRule(%q) = %+v, %v; want %v", text, r, err, want)
		}
	}
}

func TestRulesHoldOrNot(t *testing.T) {
	t.Parallel()
	facts := model.Facts{BestAsk: 570, LastPaid: 600, Available: 1_000_000_000}
	none := model.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams}
	noAsk := model.Facts{BestAsk: model.UnknownPrice, LastPaid: 600}
	for _, c := range []struct {
		rule         string
		facts        model.Facts
		holds, known bool
	}{
		{"ask <= 5.70", facts, true, true},
		{"ask < 5.70", facts, false, true},
		{"ask >= 5.70", facts, true, true},
		{"ask > 5.70", facts, false, true},
		{"ask >= 0", none, false, true},
		{"5% under last paid", facts, true, true},
		{"> 5% under last paid", facts, false, true},
		{"> 4.9% under last paid", facts, true, true},
		{"5.1% under last paid", facts, false, true},
		{"5% over last paid", facts, false, true},
		{"5% over last paid", model.Facts{BestAsk: 630, LastPaid: 600}, true, true},
		{"5% under last paid", model.Facts{BestAsk: 630, LastPaid: 600}, false, true},
		{"5% under last paid", noAsk, false, true},
		{"5% over last paid", noAsk, false, true},
		{"5% under last paid", none, false, false},
		{"1% over last paid", model.Facts{BestAsk: math.MaxInt64, LastPaid: 1}, true, true},
		{"available > 1000 t", facts, false, true},
		{"available >= 1000 t", facts, true, true},
		{"available < 1 t", none, false, true},
	} {
		r, err := model.ParseRule(c.rule)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if holds, known := r.Holds(c.facts); holds != c.holds || known != c.known {
			t.Errorf("%s with %+v: %t, %t", c.rule, c.facts, holds, known)
		}
	}
}

func TestRulesAgainstLastPaidAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ask, paid := drawPrice(t, "ask"), drawPrice(t, "paid")
		share := model.PerMille(rapid.Int64Range(1, 10_000_000).Draw(t, "share"))
		under := model.Rule{Measure: model.UnderLastPaid, Compare: model.AtLeast, Share: share}
		gap := new(big.Int).Mul(big.NewInt(int64(paid)-int64(ask)), big.NewInt(1000))
		limit := new(big.Int).Mul(big.NewInt(int64(paid)), big.NewInt(int64(share)))
		want := paid >= ask && gap.Cmp(limit) >= 0
		if got, known := under.Holds(model.Facts{BestAsk: ask, LastPaid: paid}); got != want || !known {
			t.Fatalf("%d at least %s under %d: %t", ask, share, paid, got)
		}
	})
}

func TestRulesReadBackAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := model.Rule{
			Measure: rapid.SampledFrom([]model.Measure{model.BestAsk, model.UnderLastPaid, model.OverLastPaid, model.Available}).Draw(t, "measure"),
			Compare: rapid.SampledFrom([]model.Comparison{model.AtLeast, model.Above}).Draw(t, "compare"),
		}
		switch r.Measure {
		case model.BestAsk:
			r.Price = drawPrice(t, "price")
		case model.Available:
			r.Quantity = drawGrams(t, "quantity")
		default:
			r.Share = model.PerMille(rapid.Int64Range(1, 10_000_000).Draw(t, "share"))
		}
		if back, err := model.ParseRule(r.String()); err != nil || back != r {
			t.Fatalf("%q is read as %q, %v", r, back, err)
		}
	})
}

func TestFactsOfAVintage(t *testing.T) {
	t.Parallel()
	m := oneVintage(order{"a", 2_500_000, 620}, order{"b", 1e6, 700})
	here, gone := model.VintageKey{ProjectID: "p", VintageID: "v"}, model.VintageKey{ProjectID: "p", VintageID: "w"}
	paid := model.LastPaidPrices{here: {Price: 595}}
	if got := m.Facts(here, paid); got != (model.Facts{BestAsk: 620, LastPaid: 595, Available: 3_500_000}) {
		t.Errorf("%+v", got)
	}
	if got := m.Facts(gone, nil); got != (model.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice}) {
		t.Errorf("%+v", got)
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"best ask <= 6.00", ">= 5% under last paid", "available > 1000 t", "> 1 t available"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := model.ParseRule(text)
		if err != nil {
			return
		}
		if back, err := model.ParseRule(r.String()); err != nil || back != r {
			t.Errorf("%q is read as %q, which is read as %q, %v", text, r, back, err)
		}
	})
}
