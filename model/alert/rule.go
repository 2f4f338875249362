// Package alert has the rules that users set on vintages and retirement requests. It parses
// rules and decides when they fire. It does not watch data or notify. Start reading at Rule.
package alert

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Rule is a condition on the best ask or the quantity of a vintage, or on the state of a
// retirement request.
type Rule struct {
	// Vintage is empty for a rule on retirement requests, whose Request is empty if it is on
	// every request of the ledger.
	Vintage model.VintageKey
	Request string
	Measure Measure
	Compare Comparison
	// Price is the limit of BestAsk. Of Drops and Rises it is the price from
	// which the best ask moves: 0 until From has set it.
	Price model.PriceCents
	// Share is how far the best ask is from a price, for all other measures of it.
	Share model.PerMille
	// Quantity is the limit of Available.
	Quantity model.Grams
	// Status is the state of State; empty means any change. For is the time that the
	// request must be in it, a whole number of hours.
	Status retirement.Status
	For    time.Duration
}

// On returns the rule with a vintage as its subject.
func (r Rule) On(key model.VintageKey) Rule {
	r.Vintage = key
	return r
}

// OnRequest returns the rule with a retirement request as its subject.
func (r Rule) OnRequest(id string) Rule {
	r.Request = id
	return r
}

// OnRequests reports whether the rule is on retirement requests.
func (r Rule) OnRequests() bool { return r.Measure == State }

// Measure is the value that a rule compares.
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

// Facts are the values that rules are compared with.
type Facts struct {
	// BestAsk and LastPaid are UnknownPrice if there is none.
	BestAsk, LastPaid model.PriceCents
	Available         model.Grams
	// Status is the state of a request, Before that of the last check, empty for none.
	// Lasted is how long the request was seen in its state.
	Status, Before retirement.Status
	Lasted         time.Duration
}

// FactsOf returns the facts of a retirement request, of which a state is known.
func FactsOf(s retirement.Status) Facts {
	return Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams, Status: s}
}

// VintageFacts returns what rules on a vintage are checked against.
func VintageFacts(m *market.Market, key model.VintageKey, lastPaid portfolio.LastPaidPrices) Facts {
	ask, available := m.Offer(key)
	return Facts{BestAsk: ask, LastPaid: lastPaid.Of(key).Price, Available: available}
}

// Waits reports whether the rule has no starting price yet.
func (r Rule) Waits() bool { return (r.Measure == Drops || r.Measure == Rises) && r.Price == 0 }

// From returns a rule that waits with the price that it starts from, if that is known.
func (r Rule) From(price model.PriceCents) Rule {
	if r.Waits() && price.Known() {
		r.Price = price
	}
	return r
}

// Holds reports whether the rule holds, if its last paid price or start is known.
func (r Rule) Holds(f Facts) (holds, known bool) {
	switch r.Measure {
	case BestAsk:
		return f.BestAsk.Known() && r.Compare.Holds(int64(f.BestAsk), int64(r.Price)), true
	case Available:
		return f.Available.Known() && r.Compare.Holds(int64(f.Available), int64(r.Quantity)), true
	case Drops, Rises:
		return r.moved(f.BestAsk, r.Price), !r.Waits()
	case State:
		// A rule on a change fires only in the check that finds the change.
		changed := f.Before != "" && f.Status != f.Before
		return r.Status == "" && changed || f.Status == r.Status && r.Status != "" && f.Lasted >= r.For, true
	}
	return r.moved(f.BestAsk, f.LastPaid), f.LastPaid.Known()
}

func (r Rule) moved(ask, from model.PriceCents) bool {
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

// String returns the rule as ParseRule or ParseRequestRule reads it: "best ask ≤ $6.00",
// "≥ 5.0% under last paid", "drops 10.0% from $6.20", "becomes COMPLETE".
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

// ErrNeverHolds is wrapped by what Check says of a rule that nothing can fulfil.
var ErrNeverHolds = errors.New("never holds")

// Check returns why a rule can never hold, nil if it can. now is the state of its request,
// empty if it is not known. The error wraps ErrNeverHolds.
func (r Rule) Check(now retirement.Status) error {
	why := ""
	switch {
	case r.Measure == BestAsk && r.Compare == Below && r.Price == 0:
		why = "no price is below $0.00"
	case r.Measure == Available && r.Compare == Below && r.Quantity == 0:
		why = "there is never less than 0 t for sale"
	case r.Measure == State && now.Final() && r.Status != now:
		why = "the request stays " + string(now)
	case r.Measure != Drops && r.Measure != UnderLastPaid:
	case r.Share > whole || r.Share == whole && r.Compare == Above:
		why = "no price is more than 100% lower than another"
	}
	if why == "" {
		return nil
	}
	return fmt.Errorf("%q %w: %s", r, ErrNeverHolds, why)
}

const whole model.PerMille = 1000
