package model

import (
	"math/bits"
	"strings"
	"time"
)

// Rule is a condition on a vintage: its best ask against a price, against the last
// paid price, or against what it was when the rule was set, or what is available;
// or one on a retirement request: any change of its state, or a state, at once or
// once it has lasted.
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
	// Status is the state of State; empty stands for any change. For is how long the
	// request has to be in it; a whole number of hours.
	Status RetirementStatus
	For    time.Duration
}

// OnRequests reports whether the rule is on retirement requests.
func (r Rule) OnRequests() bool { return r.Measure == State }

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
	State
)

// Comparison is how a value is compared with its limit.
type Comparison string

// The comparisons.
const (
	Below   Comparison = "<"
	AtMost  Comparison = "≤"
	AtLeast Comparison = "≥"
	Above   Comparison = ">"
	Equal   Comparison = "="
)

// Holds reports whether a value compares so with a limit.
func (c Comparison) Holds(value, limit int64) bool {
	switch c {
	case Below:
		return value < limit
	case AtMost:
		return value <= limit
	case AtLeast:
		return value >= limit
	case Equal:
		return value == limit
	}
	return value > limit
}

// Facts are what rules are held against.
type Facts struct {
	// BestAsk and LastPaid are UnknownPrice if there is none.
	BestAsk, LastPaid PriceCents
	Available         Grams
	// Status is the state of a retirement request, empty for a vintage. Before is the
	// state when the rule was last checked against the request; empty if it never
	// was. Lasted is how long the request was seen in its state.
	Status, Before RetirementStatus
	Lasted         time.Duration
}

// FactsOf returns the facts of a retirement request, of which a state is known.
func FactsOf(s RetirementStatus) Facts {
	return Facts{BestAsk: UnknownPrice, LastPaid: UnknownPrice, Available: UnknownGrams, Status: s}
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
		return f.BestAsk.Known() && r.Compare.Holds(int64(f.BestAsk), int64(r.Price)), true
	case Available:
		return f.Available.Known() && r.Compare.Holds(int64(f.Available), int64(r.Quantity)), true
	case Drops, Rises:
		return r.moved(f.BestAsk, r.Price), !r.Waits()
	case State:
		// A change holds for the one look that finds it.
		changed := f.Before != "" && f.Status != f.Before
		return r.Status == "" && changed || f.Status == r.Status && r.Status != "" && f.Lasted >= r.For, true
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

// String returns the rule in the form that ParseRule or ParseRequestRule reads:
// "best ask ≤ $6.00", "≥ 5.0% under last paid", "drops 10.0% from $6.20", "available
// > 1,000 t", "changes state", "becomes COMPLETE" or "CLOSED for 14 days".
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
	case State:
		return r.state()
	}
	return string(r.Compare) + " " + share + " under last paid"
}

func (r Rule) start() string {
	if r.Waits() {
		return ""
	}
	return " from " + r.Price.FormatDollars()
}
