package alert_test

import (
	"errors"
	"math/big"
	"strconv"
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
	"tonne/model/texttest"
)

func TestRulesAsPeopleTypeThem(t *testing.T) {
	texttest.Table(t, "rules", func(text string) string {
		r, err := alert.ParseRule(text)
		if err != nil {
			refusal, _, _ := strings.Cut(err.Error(), ":")
			for kind, says := range map[error]string{
				alert.ErrNotARule: "is no rule", model.ErrNotDigits: "is no number", model.ErrOutOfRange: "is out of range",
			} {
				must.Hold(t, errors.Is(err, kind) == strings.HasSuffix(refusal, says) && r == (alert.Rule{}), text, r, err)
			}
			return refusal
		}
		if err := r.Check(""); err != nil {
			must.Fail(t, err, alert.ErrNeverHolds, text)
			return r.String() + ", never"
		}
		return r.String()
	})
}

func TestRulesOnRequestsAsPeopleTypeThem(t *testing.T) {
	texttest.Table(t, "request_rules", func(text string) string {
		r, err := alert.ParseRequestRule(text)
		if err != nil {
			must.Hold(t, errors.Is(err, alert.ErrNotARequestRule) && r == (alert.Rule{}), text, r, err)
			refusal, _, _ := strings.Cut(err.Error(), ":")
			return refusal
		}
		must.Equal(t, must.Get(alert.ParseRequestRule(r.String())), r)
		after := ""
		for _, status := range append(retirement.Statuses(), "") {
			if err := r.Check(status); err != nil {
				must.Fail(t, err, alert.ErrNeverHolds, text)
				after += ", never after " + string(status)
			}
		}
		return r.String() + after
	})
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

func TestMoveStartsFromTheFirstKnownPrice(t *testing.T) {
	waits := parsed(t, "drops 10%")
	if !waits.Waits() || waits.From(model.UnknownPrice) != waits || waits.From(620).String() != "drops 10.0% from $6.20" ||
		waits.From(620).From(500) != waits.From(620) {
		t.Errorf("%s, %s", waits, waits.From(620))
	}
	r := (alert.Rule{Compare: alert.Below, Price: 5})
	must.Hold(t, !r.Waits() && r.From(620) == r, r)
}

func TestRulesHoldOrNot(t *testing.T) {
	texttest.Table(t, "held_rules", func(text string) string {
		typed, seen, _ := strings.Cut(text, " : ")
		r, words := parsed(t, typed), strings.Fields(seen)
		facts := alert.Facts{BestAsk: modeltest.Price(words[0]), LastPaid: modeltest.Price(words[1]), Available: 1000e6}
		switch {
		case r.Measure == alert.State:
			facts.Before, facts.Status = retirement.Status(strings.Trim(words[0], "?")), retirement.Status(words[1])
			facts.Lasted = must.Get(time.ParseDuration(words[2]))
		case words[0] == "?":
			facts.Available = model.UnknownGrams
		}
		switch holds, known := r.Holds(facts); {
		case known:
			return strconv.FormatBool(holds)
		default:
			must.Equal(t, holds, false, text)
			return "unknown"
		}
	})
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
			Measure: alert.Measure(rapid.IntRange(int(alert.BestAsk), int(alert.NearLastPaid)).Draw(t, "measure")),
			Compare: rapid.SampledFrom([]alert.Comparison{alert.AtLeast, alert.Above}).Draw(t, "compare"),
		}
		parse := alert.ParseRule
		switch r.Measure {
		case alert.State:
			parse, r.Compare = alert.ParseRequestRule, ""
			r.Status, r.For = rapid.SampledFrom(retirement.Statuses()).Draw(t, "state"),
				time.Duration(rapid.IntRange(0, 87_840).Draw(t, "hours"))*time.Hour
		case alert.BestAsk:
			r.Price = modeltest.DrawPrice(t, "price")
		case alert.Available:
			r.Quantity = modeltest.DrawGrams(t, "quantity")
		default:
			r.Share = model.PerMille(rapid.Int64Range(0, 10_000_000).Draw(t, "share"))
		}
		switch r.Measure {
		case alert.UnderLastPaid, alert.OverLastPaid:
			if r.Share == 0 {
				r.Price = model.PriceCents(rapid.Int64Range(0, 10_000).Draw(t, "difference"))
			}
		case alert.NearLastPaid:
			if r.Compare = alert.AtMost; r.Share == 0 {
				r.Price = model.PriceCents(rapid.Int64Range(1, 10_000).Draw(t, "difference"))
			}
		case alert.Drops, alert.Rises:
			r.Share = max(r.Share, 1)
		}
		if r.Measure == alert.Drops || r.Measure == alert.Rises {
			r.Compare, r.Price = alert.AtLeast, modeltest.DrawPrice(t, "start")
		}
		must.Equal(t, must.Get(parse(r.String())), r)
	})
}

// drawAgainstLastPaid returns a rule on the difference from a last paid price.
func drawAgainstLastPaid(t *rapid.T) alert.Rule {
	r := alert.Rule{
		Measure: rapid.SampledFrom([]alert.Measure{alert.UnderLastPaid, alert.OverLastPaid, alert.NearLastPaid}).Draw(t, "measure"),
		Compare: rapid.SampledFrom([]alert.Comparison{alert.AtLeast, alert.Above}).Draw(t, "compare"),
	}
	if r.Measure == alert.NearLastPaid {
		r.Compare = alert.AtMost
	}
	if rapid.Bool().Draw(t, "dollars") {
		r.Price = model.PriceCents(rapid.Int64Range(1, 300).Draw(t, "difference"))
	} else {
		r.Share = model.PerMille(rapid.Int64Range(1, 999).Draw(t, "share"))
	}
	return r
}

func TestThePriceOfARuleIsWhereItFires(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, paid := drawAgainstLastPaid(t), model.PriceCents(rapid.Int64Range(300, 1000).Draw(t, "paid"))
		_, said, _ := strings.Cut(strings.TrimSuffix(r.WithPrice(paid), ")"), " (")
		var fires func(ask model.PriceCents) bool
		if low, high, both := strings.Cut(said, " to "); both {
			from, to := must.Get(model.ParseDollars(low)), must.Get(model.ParseDollars(high))
			fires = func(ask model.PriceCents) bool { return from <= ask && ask <= to }
		} else {
			plain := must.Get(alert.ParseRule("ask " + said))
			fires = func(ask model.PriceCents) bool { return plain.Compare.Holds(int64(ask), int64(plain.Price)) }
		}
		for ask := range model.PriceCents(2400) {
			holds, _ := r.Holds(alert.Facts{BestAsk: ask, LastPaid: paid})
			must.Hold(t, holds == fires(ask), r.WithPrice(paid), ask, holds)
		}
	})
	same := must.Get(alert.ParseRule("below last paid"))
	must.Equal(t, same.WithPrice(595), "below last paid (< $5.95)")
	must.Equal(t, same.WithPrice(model.UnknownPrice), "below last paid")
	must.Equal(t, must.Get(alert.ParseRule("5% above last paid")).WithPrice(1<<63-1), "≥ 5.0% over last paid")
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
	must.Equal(t, alert.VintageFacts(m, gone, nil),
		(alert.Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice}))
}

func FuzzParseRule(f *testing.F) {
	for _, text := range texttest.Inputs("rules") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := alert.ParseRule(text); err == nil {
			must.Equal(t, must.Get(alert.ParseRule(r.String())), r, text)
		}
	})
}
