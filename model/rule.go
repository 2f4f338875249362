package model

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// Rule is a condition on a vintage that somebody wants to hear about: its
// best ask against a price, its best ask against the last paid price, or what
// is available.
type Rule struct {
	Measure Measure
	Compare Comparison
	// Price is the limit of BestAsk.
	Price PriceCents
	// Share is the limit of UnderLastPaid and OverLastPaid: how far the best
	// ask is below or above it, in tenths of a per cent.
	Share PerMille
	// Quantity is the limit of Available.
	Quantity Grams
}

// Measure is what a rule looks at.
type Measure int8

// The measures.
const (
	BestAsk Measure = iota
	UnderLastPaid
	OverLastPaid
	Available
)

// Comparison is how a rule compares a measure with its limit.
type Comparison string

// The comparisons.
const (
	Below   Comparison = "<"
	AtMost  Comparison = "≤"
	AtLeast Comparison = "≥"
	Above   Comparison = ">"
)

// Facts are what rules are held against.
type Facts struct {
	// BestAsk and LastPaid are UnknownPrice if there is none.
	BestAsk, LastPaid PriceCents
	Available         Grams
}

// Facts returns what rules on a vintage are held against. A vintage that is
// not on the market has no best ask and nothing available.
func (m *Market) Facts(key VintageKey, lastPaid LastPaidPrices) Facts {
	facts := Facts{BestAsk: UnknownPrice, LastPaid: lastPaid.Of(key).Price}
	if i, ok := m.Find(key); ok {
		facts.BestAsk, facts.Available = m.vintages[i].BestAsk, m.vintages[i].Available
	}
	return facts
}

// ErrNotARule is returned for text that is no rule. Its message says what
// rules look like.
var ErrNotARule = errors.New(`not a rule: write "best ask <= 6.00", ">= 5% under last paid" or "available > 1000 t"`)

// ParseRule reads a rule as a person types it: "best ask <= 6.00", "ask ≤
// $6", ">= 5% under last paid", "5% over last paid" or "available > 1,000 t".
// The error is ErrNotARule, or wraps ErrNotDigits or ErrOutOfRange for the
// number in it.
func ParseRule(text string) (Rule, error) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, m := range [...]struct{ prefix, suffix string }{
		{"best ask", ""}, {"ask", ""}, {"available", ""},
		{"", "under last paid"}, {"", "over last paid"}, {"", "available"},
	} {
		rest, begins := strings.CutPrefix(text, m.prefix)
		rest, ends := strings.CutSuffix(rest, m.suffix)
		if !begins || !ends {
			continue
		}
		compare, limit := cutComparison(rest)
		return parseLimit(m.prefix+m.suffix, compare, limit)
	}
	return Rule{}, ErrNotARule
}

func cutComparison(s string) (Comparison, string) {
	s = strings.TrimSpace(s)
	for _, c := range [...]struct {
		sign    string
		compare Comparison
	}{{"<=", AtMost}, {"≤", AtMost}, {">=", AtLeast}, {"≥", AtLeast}, {"<", Below}, {">", Above}} {
		if limit, ok := strings.CutPrefix(s, c.sign); ok {
			return c.compare, strings.TrimSpace(limit)
		}
	}
	return "", s
}

func parseLimit(measure string, compare Comparison, limit string) (r Rule, err error) {
	r.Compare = compare
	switch measure {
	case "best ask", "ask":
		r.Price, err = ParseDollars(limit)
	case "available":
		r.Measure = Available
		r.Quantity, err = ParseTonnes(strings.TrimSuffix(limit, "t"))
	default:
		r.Measure = UnderLastPaid
		if measure == "over last paid" {
			r.Measure = OverLastPaid
		}
		if r.Compare == "" {
			r.Compare = AtLeast
		}
		r.Share, err = parseShare(limit)
	}
	if errors.Is(err, ErrNotDigits) || errors.Is(err, ErrOutOfRange) {
		err = fmt.Errorf("%q %w", limit, err)
	}
	if err != nil {
		return Rule{}, err
	}
	if r.Compare == "" || r.Share != 0 && (r.Compare == Below || r.Compare == AtMost) {
		return Rule{}, ErrNotARule
	}
	return r, nil
}

// parseShare reads "5%" or "2.5 %".
func parseShare(s string) (PerMille, error) {
	if !strings.HasSuffix(s, "%") {
		return 0, ErrNotARule
	}
	share, err := ParsePercent(s)
	if err == nil && share == 0 {
		return 0, ErrNotARule
	}
	return share, err
}

// Holds reports whether the rule holds. It is not known if the rule needs
// a last paid price that is not there.
func (r Rule) Holds(f Facts) (holds, known bool) {
	switch r.Measure {
	case BestAsk:
		return f.BestAsk.Known() && compare(int64(f.BestAsk), r.Compare, int64(r.Price)), true
	case Available:
		return f.Available.Known() && compare(int64(f.Available), r.Compare, int64(r.Quantity)), true
	}
	if !f.LastPaid.Known() {
		return false, false
	}
	gap := f.LastPaid - f.BestAsk
	if r.Measure == OverLastPaid {
		gap = -gap
	}
	if !f.BestAsk.Known() || gap < 0 {
		return false, true
	}
	// gap ≥ share of last paid, without a division.
	hi, lo := bits.Mul64(uint64(gap), 1000)
	limitHi, limitLo := bits.Mul64(uint64(f.LastPaid), uint64(r.Share))
	if hi == limitHi && lo == limitLo {
		return r.Compare == AtLeast, true
	}
	return hi > limitHi || hi == limitHi && lo > limitLo, true
}

func compare(value int64, c Comparison, limit int64) bool {
	switch c {
	case Below:
		return value < limit
	case AtMost:
		return value <= limit
	case AtLeast:
		return value >= limit
	}
	return value > limit
}

// String returns the rule in the form that ParseRule reads: "best ask ≤
// $6.00", "≥ 5.0% under last paid" or "available > 1,000 t".
func (r Rule) String() string {
	switch r.Measure {
	case BestAsk:
		return "best ask " + string(r.Compare) + " " + r.Price.FormatDollars()
	case Available:
		return "available " + string(r.Compare) + " " + r.Quantity.FormatTonnes()
	}
	share := string(r.Compare) + " " + strings.TrimPrefix(r.Share.String(), "+")
	if r.Measure == OverLastPaid {
		return share + " over last paid"
	}
	return share + " under last paid"
}
