package model

import (
	"math/bits"
	"strings"
)

// Rule is a condition on a vintage that somebody wants to hear about: its
// best ask against a price, against the last paid price, or against what it was
// when the rule was set, or what is available.
type Rule struct {
	Measure Measure
	Compare Comparison
	// Price is the limit of BestAsk. Of Drops and Rises it is the price from
	// which the best ask moves: 0 until From has set it.
	Price PriceCents
	// Share is the limit of UnderLastPaid, OverLastPaid, Drops and Rises: how far
	// the best ask is below or above a price, in tenths of a per cent.
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
	Drops
	Rises
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

// Waits reports whether the rule needs a price to start from: the best ask when
// it was set.
func (r Rule) Waits() bool { return (r.Measure == Drops || r.Measure == Rises) && r.Price == 0 }

// From returns a rule that waits, as it is once it starts from a price. Without
// one, and any other rule, it returns as it is.
func (r Rule) From(price PriceCents) Rule {
	if r.Waits() && price.Known() {
		r.Price = price
	}
	return r
}

// Holds reports whether the rule holds. It is not known if the rule needs
// a last paid price that is not there, or waits for a price to start from.
func (r Rule) Holds(f Facts) (holds, known bool) {
	switch r.Measure {
	case BestAsk:
		return f.BestAsk.Known() && compare(int64(f.BestAsk), r.Compare, int64(r.Price)), true
	case Available:
		return f.Available.Known() && compare(int64(f.Available), r.Compare, int64(r.Quantity)), true
	case Drops, Rises:
		return r.moved(f.BestAsk, r.Price), !r.Waits()
	}
	return r.moved(f.BestAsk, f.LastPaid), f.LastPaid.Known()
}

func (r Rule) moved(ask, from PriceCents) bool {
	if !ask.Known() || !from.Known() {
		return false
	}
	gap := from - ask
	if r.Measure == OverLastPaid || r.Measure == Rises {
		gap = -gap
	}
	if gap < 0 {
		return false
	}
	// gap ≥ share of the price, without a division.
	hi, lo := bits.Mul64(uint64(gap), 1000)
	limitHi, limitLo := bits.Mul64(uint64(from), uint64(r.Share))
	if hi == limitHi && lo == limitLo {
		return r.Compare == AtLeast
	}
	return hi > limitHi || hi == limitHi && lo > limitLo
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
// $6.00", "≥ 5.0% under last paid", "drops 10.0% from $6.20" or "available >
// 1,000 t".
func (r Rule) String() string {
	share := strings.TrimPrefix(r.Share.String(), "+")
	switch r.Measure {
	case BestAsk:
		return "best ask " + string(r.Compare) + " " + r.Price.FormatDollars()
	case Available:
		return "available " + string(r.Compare) + " " + r.Quantity.FormatTonnes()
	case Drops:
		return "drops " + share + r.start()
	case Rises:
		return "rises " + share + r.start()
	case OverLastPaid:
		return string(r.Compare) + " " + share + " over last paid"
	}
	return string(r.Compare) + " " + share + " under last paid"
}

func (r Rule) start() string {
	if r.Waits() {
		return ""
	}
	return " from " + r.Price.FormatDollars()
}
