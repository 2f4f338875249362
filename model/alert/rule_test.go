package alert_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/market"
	"tonne/model/modeltest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
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
		"price < 5":               "best ask < $5.00",
		"price<=5":                "best ask ≤ $5.00",
		"price at most 5":         "best ask ≤ $5.00",
		"below 5":                 "best ask < $5.00",
		"Under $5":                "best ask < $5.00",
		"price below 5":           "best ask < $5.00",
		"< 5":                     "best ask < $5.00",
		"above 9.50":              "best ask > $9.50",
		"over 9.50":               "best ask > $9.50",
		"at least 1,000":          "best ask ≥ $1,000.00",
		"drops 10%":               "drops 10.0%",
		"drop by 2.5 %":           "drops 2.5%",
		"falls 10% from $6.20":    "drops 10.0% from $6.20",
		"rises 1,000%":            "rises 1,000.0%",
		"up by 10% from 6.2":      "rises 10.0% from $6.20",
		"5% below last paid":      "≥ 5.0% under last paid",
		"over 5% above last paid": "> 5.0% over last paid",
		"500 tonnes":              "available ≥ 500 t",
		"500t":                    "available ≥ 500 t",
		"1 tonne":                 "available ≥ 1 t",
		"500 t available":         "available ≥ 500 t",
		"more than 500 t":         "available > 500 t",
		"available below 500":     "available < 500 t",
		"cheaper than 5":          "best ask < $5.00",
		"dearer than $9.50":       "best ask > $9.50",
		"Sold  out":               "available < 1 t",
	} {
		r, err := alert.ParseRule(text)
		if err != nil || r.String() != want {
			t.Errorf("ParseRule(%q) = %q, %v; want %q", text, r, err, want)
		}
	}
}

func TestTextThatIsNoRuleIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"":                               alert.ErrNotARule,
		"5":                              alert.ErrNotARule,
		"price 5":                        alert.ErrNotARule,
		"price < ":                       alert.ErrNotARule,
		"below":                          alert.ErrNotARule,
		"drops":                          alert.ErrNotARule,
		"drops 10":                       alert.ErrNotARule,
		"drops 0%":                       alert.ErrNotARule,
		"drops 10% from 0":               alert.ErrNotARule,
		"drops 10% from":                 alert.ErrNotARule,
		"drops 10% from six":             model.ErrNotDigits,
		"best":                           alert.ErrNotARule,
		"asking < 5":                     alert.ErrNotARule,
		"best ask 6.00":                  alert.ErrNotARule,
		"best ask = 6.00":                alert.ErrNotARule,
		"best ask <=":                    alert.ErrNotARule,
		"best ask <= six":                model.ErrNotDigits,
		"best ask <= -6":                 model.ErrNotDigits,
		"best ask <= 92233720368547759":  model.ErrOutOfRange,
		"5 under last paid":              alert.ErrNotARule,
		"<= 5% under last paid":          alert.ErrNotARule,
		"0% under last paid":             alert.ErrNotARule,
		"2.55% under last paid":          model.ErrNotDigits,
		"99999999999% under last paid":   model.ErrOutOfRange,
		"available > 1000 kg":            model.ErrNotDigits,
		"available > 99999999999999999t": model.ErrOutOfRange,
	} {
		if r, err := alert.ParseRule(text); !errors.Is(err, want) || r != (alert.Rule{}) {
			t.Errorf("ParseRule(%q) = %+v, %v; want %v", text, r, err, want)
		}
	}
}

func TestARuleThatIsNotUnderstoodIsQuotedWhereItIsNot(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"prise < 5": `"prise < 5" is no rule: write `, "price < five": `"five" is no number: write it like 5, 9.50 or 10%`, "drops ten%": `"ten" is no number`,
		"tell me": `"tell me" is no rule`, "best ask <= 6 cents": `"6 cents" is no number`, "drops": `"drops" is no rule`, "": `"" is no rule`, "1,000": `"1,000" is no rule`,
		"available > 5 kg": `"5 kg" is no number`, "below 99999999999999999999": `"99999999999999999999" is out of range`, "price < -5": `"-5" is no number`,
		"cheaper than $5,00": `"$5,00" is no number`, "5,5 t": `"5,5" is no number`, "price < 5.005": `"5.005" is no number`, "below last paid": `"below last paid" is no rule`,
	} {
		if _, err := alert.ParseRule(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestARuleThatNothingCanFulfilIsRefused(t *testing.T) {
	t.Parallel()
	for text, never := range map[string]bool{
		"price < 0": true, "price < 0.01": false, "price <= 0": false, "price > 0": false,
		"drops 150%": true, "drops 100.1%": true, "drops 100%": false, "rises 150%": false,
		"150% under last paid": true, "> 100% under last paid": true, "100% under last paid": false, "150% over last paid": false,
		"available < 0": true, "sold out": false,
	} {
		r, err := alert.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Check(""); errors.Is(err, alert.ErrNeverHolds) != never || (err != nil) != never {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestARuleOnAnotherStateThanTheLastIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		now   retirement.Status
		never bool
	}{
		{"IN PROGRESS for 3 days", retirement.Complete, true}, {"changes", retirement.Complete, true}, {"COMPLETE", retirement.NothingToProcess, true},
		{"COMPLETE for 3 days", retirement.Complete, false}, {"IN PROGRESS for 3 days", retirement.Closed, false}, {"COMPLETE", "", false},
	} {
		r, err := alert.ParseRequestRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Check(c.now); errors.Is(err, alert.ErrNeverHolds) != c.never || (err != nil) != c.never {
			t.Errorf("%q on a request that is %s: %v", c.rule, c.now, err)
		}
	}
}

func TestAMoveIsHeldAgainstThePriceThatItStartedFrom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule         string
		ask          model.PriceCents
		holds, known bool
	}{
		{"drops 10% from 10", 900, true, true},
		{"drops 10% from 10", 901, false, true},
		{"drops 10% from 10", 1100, false, true},
		{"rises 10% from 10", 1100, true, true},
		{"rises 10% from 10", 1099, false, true},
		{"rises 10% from 10", model.UnknownPrice, false, true},
		{"drops 10%", 100, false, false},
	} {
		r, err := alert.ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if holds, known := r.Holds(alert.Facts{BestAsk: c.ask, LastPaid: 1}); holds != c.holds || known != c.known {
			t.Errorf("%s at %s: %t, %t", r, c.ask, holds, known)
		}
	}
	waits, _ := alert.ParseRule("drops 10%")
	if !waits.Waits() || waits.From(model.UnknownPrice) != waits || waits.From(620).String() != "drops 10.0% from $6.20" || waits.From(620).From(500) != waits.From(620) {
		t.Errorf("%s, %s", waits, waits.From(620))
	}
	if r := (alert.Rule{Compare: alert.Below, Price: 5}); r.Waits() || r.From(620) != r {
		t.Errorf("%s starts from a price", r)
	}
}

func TestRulesHoldOrNot(t *testing.T) {
	t.Parallel()
	facts := alert.Facts{BestAsk: 570, LastPaid: 600, Available: 1_000_000_000}
	none := alert.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams}
	noAsk := alert.Facts{BestAsk: model.UnknownPrice, LastPaid: 600}
	for _, c := range []struct {
		rule         string
		facts        alert.Facts
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
		{"5% over last paid", alert.Facts{BestAsk: 630, LastPaid: 600}, true, true},
		{"5% under last paid", alert.Facts{BestAsk: 630, LastPaid: 600}, false, true},
		{"5% under last paid", noAsk, false, true},
		{"5% over last paid", noAsk, false, true},
		{"5% under last paid", none, false, false},
		{"1% over last paid", alert.Facts{BestAsk: math.MaxInt64, LastPaid: 1}, true, true},
		{"available > 1000 t", facts, false, true},
		{"available >= 1000 t", facts, true, true},
		{"available < 1 t", none, false, true},
	} {
		r, err := alert.ParseRule(c.rule)
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
		ask, paid := modeltest.DrawPrice(t, "ask"), modeltest.DrawPrice(t, "paid")
		share := model.PerMille(rapid.Int64Range(1, 10_000_000).Draw(t, "share"))
		under := alert.Rule{Measure: alert.UnderLastPaid, Compare: alert.AtLeast, Share: share}
		gap := new(big.Int).Mul(big.NewInt(int64(paid)-int64(ask)), big.NewInt(1000))
		limit := new(big.Int).Mul(big.NewInt(int64(paid)), big.NewInt(int64(share)))
		want := paid >= ask && gap.Cmp(limit) >= 0
		if got, known := under.Holds(alert.Facts{BestAsk: ask, LastPaid: paid}); got != want || !known {
			t.Fatalf("%d at least %s under %d: %t", ask, share, paid, got)
		}
	})
}

func TestRulesReadBackAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := alert.Rule{
			Measure: rapid.SampledFrom([]alert.Measure{
				alert.BestAsk, alert.UnderLastPaid, alert.OverLastPaid, alert.Available, alert.Drops, alert.Rises,
			}).Draw(t, "measure"),
			Compare: rapid.SampledFrom([]alert.Comparison{alert.AtLeast, alert.Above}).Draw(t, "compare"),
		}
		switch r.Measure {
		case alert.BestAsk:
			r.Price = modeltest.DrawPrice(t, "price")
		case alert.Available:
			r.Quantity = modeltest.DrawGrams(t, "quantity")
		default:
			r.Share = model.PerMille(rapid.Int64Range(1, 10_000_000).Draw(t, "share"))
		}
		if r.Measure == alert.Drops || r.Measure == alert.Rises {
			r.Compare, r.Price = alert.AtLeast, modeltest.DrawPrice(t, "start")
		}
		if back, err := alert.ParseRule(r.String()); err != nil || back != r {
			t.Fatalf("%q is read as %q, %v", r, back, err)
		}
	})
}

func TestFactsOfAVintage(t *testing.T) {
	t.Parallel()
	page := new(market.Page)
	page.AddProject("p")
	page.AddVintage("v", 2019)
	page.AddOrder("a", 2_500_000, 620)
	page.AddOrder("b", 1e6, 700)
	m := market.New(page)
	here, gone := model.VintageKey{ProjectID: "p", VintageID: "v"}, model.VintageKey{ProjectID: "p", VintageID: "w"}
	paid := portfolio.LastPaidPrices{here: {Price: 595}}
	if got := alert.VintageFacts(m, here, paid); got != (alert.Facts{BestAsk: 620, LastPaid: 595, Available: 3_500_000}) {
		t.Errorf("%+v", got)
	}
	if got := alert.VintageFacts(m, gone, nil); got != (alert.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice}) {
		t.Errorf("%+v", got)
	}
}

func FuzzParseRule(f *testing.F) {
	for _, s := range []string{"best ask <= 6.00", ">= 5% under last paid", "available > 1000 t", "> 1 t available", "drops 10% from 6.20", "below 5", "500 tonnes"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := alert.ParseRule(text)
		if err != nil {
			return
		}
		if back, err := alert.ParseRule(r.String()); err != nil || back != r {
			t.Errorf("%q is read as %q, which is read as %q, %v", text, r, back, err)
		}
	})
}
