package alert

import (
	"cmp"
	"math/bits"
	"strings"

	"tonne/model"
)

// ofLastPaid returns a rule on the difference of the best ask from the last paid price. amount is a share with a per
// cent sign, or dollars.
func ofLastPaid(r Rule, amount string) (Rule, string, error) {
	number, isShare := strings.CutSuffix(amount, "%")
	number = strings.TrimSpace(number)
	var err error
	if isShare {
		r.Share, err = model.ParsePercent(number + "%")
	} else {
		r.Price, err = model.ParseDollars(number)
	}
	if err == nil && r.Share == 0 && r.Price == 0 {
		err = ErrNotARule
	}
	return r, number, err
}

// sidesOfLastPaid are the comparisons of the best ask with the last paid price itself, as differences from it.
var sidesOfLastPaid = map[Comparison]Rule{
	Below: {Measure: UnderLastPaid, Compare: Above}, AtMost: {Measure: UnderLastPaid, Compare: AtLeast},
	Above: {Measure: OverLastPaid, Compare: Above}, AtLeast: {Measure: OverLastPaid, Compare: AtLeast},
}

// againstLastPaid reports whether the rule compares the best ask with the last paid price.
func (r Rule) againstLastPaid() bool {
	return r.Measure == UnderLastPaid || r.Measure == OverLastPaid || r.Measure == NearLastPaid
}

// difference returns the difference of a rule as text, or "" for the last paid price itself.
func (r Rule) difference() string {
	switch {
	case r.Share != 0:
		return r.Share.FormatShare()
	case r.Price != 0:
		return r.Price.FormatDollars()
	}
	return ""
}

func (r Rule) paidWords() string {
	side, amount := "under", r.difference()
	if r.Measure == OverLastPaid {
		side = "over"
	}
	switch {
	case r.Measure == NearLastPaid:
		return "within " + amount + " of last paid"
	case amount != "":
		return string(r.Compare) + " " + amount + " " + side + " last paid"
	}
	words := map[string]string{"under": "below last paid", "over": "above last paid"}[side]
	if r.Compare == AtLeast {
		return "at or " + words
	}
	return words
}

// near reports whether a price differs from the last paid price by at most the difference of the rule.
func (r Rule) near(ask, paid model.PriceCents) bool {
	return ask.Known() && paid.Known() && r.exceeds(max(ask-paid, paid-ask), paid) <= 0
}

// exceeds compares the gap between two prices with the difference of the rule, without a division.
func (r Rule) exceeds(gap, from model.PriceCents) int {
	if r.Share == 0 && r.againstLastPaid() {
		return cmp.Compare(gap, r.Price)
	}
	hi, lo := bits.Mul64(uint64(gap), 1000)
	limitHi, limitLo := bits.Mul64(uint64(from), uint64(r.Share))
	return cmp.Or(cmp.Compare(hi, limitHi), cmp.Compare(lo, limitLo))
}

// WithPrice returns the rule as users read it, with the prices at which it fires if it depends on a known last paid
// price: "≥ 5.0% under last paid (≤ $5.65)".
func (r Rule) WithPrice(paid model.PriceCents) string {
	text := r.Words()
	if !r.againstLastPaid() || !paid.Known() {
		return text
	}
	least, most, ok := r.amounts(paid)
	switch low, high := paid-most, paid+most; {
	case !ok:
		return text
	case r.Measure == NearLastPaid:
		low, high = max(paid-least, 0), paid+least
		return text + " (" + low.FormatDollars() + " to " + high.FormatDollars() + ")"
	case r.Measure == UnderLastPaid && r.Compare == Above:
		return text + priced("<", paid-least)
	case r.Measure == UnderLastPaid:
		return text + priced("≤", low)
	case r.Compare == Above:
		return text + priced(">", paid+least)
	default:
		return text + priced("≥", high)
	}
}

func priced(sign string, price model.PriceCents) string {
	if !price.Known() {
		return ""
	}
	return " (" + sign + " " + price.FormatDollars() + ")"
}

// amounts returns the difference of the rule in cents, rounded down and up. ok is false beyond the range.
func (r Rule) amounts(paid model.PriceCents) (down, up model.PriceCents, ok bool) {
	if r.Share == 0 {
		return r.Price, r.Price, paid+r.Price >= paid
	}
	hi, lo := bits.Mul64(uint64(paid), uint64(r.Share))
	if hi >= 1000 {
		return 0, 0, false
	}
	quotient, rest := bits.Div64(hi, lo, 1000)
	down = model.PriceCents(quotient)
	up = down
	if rest > 0 {
		up++
	}
	return down, up, down >= 0 && paid+up >= paid
}
