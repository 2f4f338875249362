package model_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/market"
	"tonne/model/modeltest"
	must "tonne/model/musttest"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

func TestRulesAsPeopleTypeThem(t *testing.T) {
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
		must.Hold(t, err == nil && r.String() == want, "ParseRule(", text, r, err, want)
	}
}

func TestTextThatIsNoRuleIsQuoted(t *testing.T) {
	const notARule, notANumber, tooLarge = " is no rule: write ", " is no number: write it like 5, 9.50 or 10%", " is out of range"
	for text, want := range map[string]string{
		"": `""` + notARule, "5": `"5"` + notARule, "price 5": `"price 5"` + notARule, "price < ": `"price <"` + notARule, "below": `"below"` + notARule,
		"drops": `"drops"` + notARule, "drops 10": `"drops 10"` + notARule, "drops 0%": `"0"` + notARule, "drops 10% from 0": `"0"` + notARule,
		"drops 10% from": `"drops 10% from"` + notARule, "best": `"best"` + notARule, "asking < 5": `"asking < 5"` + notARule, "1,000": `"1,000"` + notARule,
		"best ask 6.00": `"best ask 6.00"` + notARule, "best ask = 6.00": `"best ask = 6.00"` + notARule, "best ask <=": `"best ask <="` + notARule,
		"5 under last paid": `"5 under last paid"` + notARule, "<= 5% under last paid": `"<= 5% under last paid"` + notARule, "0% under last paid": `"0"` + notARule,
		"below last paid": `"below last paid"` + notARule, "prise < 5": `"prise < 5"` + notARule, "tell me": `"tell me"` + notARule,
		"drops 10% from six": `"six"` + notANumber, "drops ten%": `"ten"` + notANumber, "best ask <= 6 cents": `"6 cents"` + notANumber, "price < -5": `"-5"` + notANumber,
		"2.55% under last paid": `"2.55"` + notANumber, "available > 5 kg": `"5 kg"` + notANumber, "cheaper than $5,00": `"$5,00"` + notANumber,
		"5,5 t": `"5,5"` + notANumber, "price < 5.005": `"5.005"` + notANumber,
		"below 99999999999999999999": `"99999999999999999999"` + tooLarge, "99999999999% under last paid": `"99999999999"` + tooLarge,
		"available > 99999999999999999t": `"99999999999999999"` + tooLarge,
	} {
		r, err := alert.ParseRule(text)
		if err == nil || !strings.HasPrefix(err.Error(), want) || r != (alert.Rule{}) {
			t.Errorf("ParseRule(%q) = %+v, %v; want %s", text, r, err, want)
		}
		for kind, is := range map[error]bool{
			alert.ErrNotARule: strings.HasSuffix(want, notARule), model.ErrNotDigits: strings.HasSuffix(want, notANumber), model.ErrOutOfRange: strings.HasSuffix(want, tooLarge),
		} {
			must.Equal(t, errors.Is(err, kind), is, text, err)
		}
	}
}

func parsed(t *testing.T, text string) alert.Rule {
	t.Helper()
	r, err := alert.ParseRule(text)
	if err != nil {
		r, err = alert.ParseRequestRule(text)
	}
	must.Succeed(t, err)
	return r
}

func TestRuleThatNeverFiresIsRefused(t *testing.T) {
	for _, c := range []struct {
		rule  string
		now   retirement.Status
		never bool
	}{
		{"price < 0", "", true}, {"price < 0.01", "", false}, {"price <= 0", "", false}, {"price > 0", "", false},
		{"drops 150%", "", true}, {"drops 100.1%", "", true}, {"drops 100%", "", false}, {"rises 150%", "", false},
		{"150% under last paid", "", true}, {"> 100% under last paid", "", true}, {"100% under last paid", "", false}, {"150% over last paid", "", false},
		{"available < 0", "", true}, {"sold out", "", false},
		{"IN PROGRESS for 3 days", retirement.Complete, true}, {"changes", retirement.Complete, true}, {"COMPLETE", retirement.NothingToProcess, true},
		{"COMPLETE for 3 days", retirement.Complete, false}, {"IN PROGRESS for 3 days", retirement.Closed, false}, {"COMPLETE", "", false},
	} {
		err := parsed(t, c.rule).Check(c.now)
		must.Hold(t, errors.Is(err, alert.ErrNeverHolds) == c.never && (err != nil) == c.never, c.rule, c.now, err)
	}
}

func TestMoveStartsFromTheFirstKnownPrice(t *testing.T) {
	waits := parsed(t, "drops 10%")
	if !waits.Waits() || waits.From(model.UnknownPrice) != waits || waits.From(620).String() != "drops 10.0% from $6.20" || waits.From(620).From(500) != waits.From(620) {
		t.Errorf("%s, %s", waits, waits.From(620))
	}
	r := (alert.Rule{Compare: alert.Below, Price: 5})
	must.Hold(t, !r.Waits() && r.From(620) == r, r)
}

func TestRulesHoldOrNot(t *testing.T) {
	facts := alert.Facts{BestAsk: 570, LastPaid: 600, Available: 1_000_000_000}
	none := alert.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams}
	priced := func(ask, paid model.PriceCents) alert.Facts { return alert.Facts{BestAsk: ask, LastPaid: paid} }
	noAsk := priced(model.UnknownPrice, 600)
	state := func(was, is retirement.Status, days int) alert.Facts {
		return alert.Facts{Status: is, Before: was, Lasted: time.Duration(days) * 24 * time.Hour}
	}
	almost := state(retirement.Closed, retirement.Closed, 14)
	almost.Lasted--
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
		{"5% over last paid", priced(630, 600), true, true},
		{"5% under last paid", priced(630, 600), false, true},
		{"5% under last paid", noAsk, false, true},
		{"5% over last paid", noAsk, false, true},
		{"5% under last paid", none, false, false},
		{"1% over last paid", priced(math.MaxInt64, 1), true, true},
		{"available > 1000 t", facts, false, true},
		{"available >= 1000 t", facts, true, true},
		{"available < 1 t", none, false, true},
		{"drops 10% from 10", priced(900, 1), true, true},
		{"drops 10% from 10", priced(901, 1), false, true},
		{"drops 10% from 10", priced(1100, 1), false, true},
		{"rises 10% from 10", priced(1100, 1), true, true},
		{"rises 10% from 10", priced(1099, 1), false, true},
		{"rises 10% from 10", priced(model.UnknownPrice, 1), false, true},
		{"drops 10%", priced(100, 1), false, false},
		{"changes", state("", retirement.Open, 0), false, true},
		{"changes", state(retirement.Open, retirement.Open, 0), false, true},
		{"changes", state(retirement.Open, retirement.Closed, 0), true, true},
		{"complete", state("", retirement.Complete, 0), true, true},
		{"complete", state(retirement.Open, retirement.Closed, 0), false, true},
		{"closed for 14 days", almost, false, true},
		{"closed for 14 days", state(retirement.Closed, retirement.Closed, 14), true, true},
		{"closed for 14 days", state(retirement.Closed, retirement.InProgress, 15), false, true},
	} {
		if holds, known := parsed(t, c.rule).Holds(c.facts); holds != c.holds || known != c.known {
			t.Errorf("%s with %+v: %t, %t", c.rule, c.facts, holds, known)
		}
	}
}

func TestRulesAgainstLastPaidAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ask, paid := modeltest.DrawPrice(t, "ask"), modeltest.DrawPrice(t, "paid")
		share := model.PerMille(rapid.Int64Range(1, 10_000_000).Draw(t, "share"))
		under := alert.Rule{Measure: alert.UnderLastPaid, Compare: alert.AtLeast, Share: share}
		gap := new(big.Int).Mul(big.NewInt(int64(paid)-int64(ask)), big.NewInt(1000))
		limit := new(big.Int).Mul(big.NewInt(int64(paid)), big.NewInt(int64(share)))
		want := paid >= ask && gap.Cmp(limit) >= 0
		got, known := under.Holds(alert.Facts{BestAsk: ask, LastPaid: paid})
		must.Hold(t, got == want && known, ask, share, paid, got)
	})
}

func TestRulesReadBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := alert.Rule{
			Measure: alert.Measure(rapid.IntRange(int(alert.BestAsk), int(alert.State)).Draw(t, "measure")),
			Compare: rapid.SampledFrom([]alert.Comparison{alert.AtLeast, alert.Above}).Draw(t, "compare"),
		}
		parse := alert.ParseRule
		switch r.Measure {
		case alert.State:
			parse, r.Compare = alert.ParseRequestRule, ""
			r.Status, r.For = rapid.SampledFrom(retirement.Statuses()).Draw(t, "state"), time.Duration(rapid.IntRange(0, 87_840).Draw(t, "hours"))*time.Hour
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
		must.Equal(t, must.Get(parse(r.String())), r)
	})
}

// marketOfTwoOrders has one vintage, with orders of 2.5 t at $6.20 and 1 t at $7.00.
func marketOfTwoOrders() *market.Market {
	page := new(market.Page)
	page.AddProject("p")
	page.AddVintage("v", 2019)
	page.AddOrder("a", 2_500_000, 620)
	page.AddOrder("b", 1e6, 700)
	return market.New(page)
}

func TestFactsOfAVintage(t *testing.T) {
	m := marketOfTwoOrders()
	here, gone := model.VintageKey{ProjectID: "p", VintageID: "v"}, model.VintageKey{ProjectID: "p", VintageID: "w"}
	paid := portfolio.LastPaidPrices{here: {Price: 595}}
	must.Equal(t, alert.VintageFacts(m, here, paid), (alert.Facts{BestAsk: 620, LastPaid: 595, Available: 3_500_000}))
	must.Equal(t, alert.VintageFacts(m, gone, nil), (alert.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice}))
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
		must.Equal(t, must.Get(alert.ParseRule(r.String())), r, text)
	})
}

func TestRulesOnRequestsAsPeopleTypeThem(t *testing.T) {
	for text, want := range map[string]string{
		"changes": "changes state", "COMPLETE": "becomes COMPLETE", "becomes complete": "becomes COMPLETE",
		"closed for 14 days": "CLOSED for 14 days", "CLOSED for 1 day": "CLOSED for 1 day", "closed for 2 weeks": "CLOSED for 14 days",
		"in progress for 36 hours": "IN_PROGRESS for 36 hours", "IN_PROGRESS for 24 hours": "IN_PROGRESS for 1 day", "nothing to process": "becomes NOTHING_TO_PROCESS", "open for 1 hour": "OPEN for 1 hour",
		"done": "becomes COMPLETE", "retired": "becomes COMPLETE",
	} {
		r, err := alert.ParseRequestRule(text)
		if err != nil || r.String() != want {
			t.Errorf("%q is read as %q, %v; want %q", text, r, err, want)
			continue
		}
		must.Equal(t, must.Get(alert.ParseRequestRule(r.String())), r)
	}
	for text, part := range map[string]string{
		"": `""`, "shut": `"shut"`, "closed for": `"closed for"`, "closed for ever": `"ever"`, "closed for 0 days": `"0 days"`, "closed for -1 days": `"-1 days"`,
		"closed for 99999999999999999999 days": `"99999999999999999999 days"`, "closed for 5 minutes": `"5 minutes"`,
	} {
		if r, err := alert.ParseRequestRule(text); !errors.Is(err, alert.ErrNotARequestRule) || !strings.HasPrefix(err.Error(), part) || r != (alert.Rule{}) {
			t.Errorf("%q is read as %q, %v", text, r, err)
		}
	}
}
