// Package alert has the rules that users set on vintages and retirement requests. It parses
// rules and decides when they fire. It does not watch data or notify. Start reading at Rule.
package alert

import (
	"errors"
	"fmt"
	"time"

	"tonne/model"
	"tonne/model/market"
	"tonne/model/portfolio"
	"tonne/model/retirement"
)

// Rule is a condition on the best ask or the quantity of a vintage, or on the state of a
// retirement request.
type Rule struct {
	// Vintage is empty for a rule on retirement requests. Request is empty for a rule on
	// vintages, or on all requests of the ledger.
	Vintage model.VintageKey
	Request string
	Measure Measure
	Compare Comparison
	// Price is the limit of BestAsk. For Drops and Rises it is the starting price, which
	// is 0 until From sets it. For a difference from the last paid price without a Share, it is that difference.
	Price model.PriceCents
	// Share is the difference from a price, for the other measures of the best ask.
	Share model.PerMille
	// Quantity is the limit of Available.
	Quantity model.Grams
	// Status is the state of State; empty means any change. For is how long the request
	// must be in it, in whole hours.
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
	NearLastPaid
)

// Comparison is an operator that compares a value with its limit.
type Comparison string

// The comparisons.
const (
	Below   Comparison = "<"
	AtMost  Comparison = "≤"
	AtLeast Comparison = "≥"
	Above   Comparison = ">"
	Equal   Comparison = "="
)

// Holds reports whether a value satisfies the comparison with a limit.
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

// Facts are the values that rules are checked against.
type Facts struct {
	// BestAsk and LastPaid are UnknownPrice if missing.
	BestAsk, LastPaid model.PriceCents
	Available         model.Grams
	// Status is the state of a request, and Before the state at the last check, or
	// empty. Lasted is how long the request has been seen in its state.
	Status, Before retirement.Status
	Lasted         time.Duration
}

// FactsOf returns the facts of a retirement request with a state.
func FactsOf(s retirement.Status) Facts {
	return Facts{BestAsk: model.UnknownPrice, LastPaid: model.UnknownPrice, Available: model.UnknownGrams, Status: s}
}

// VintageFacts returns the facts of a vintage.
func VintageFacts(m *market.Market, key model.VintageKey, lastPaid portfolio.LastPaidPrices) Facts {
	ask, available := m.Offer(key)
	return Facts{BestAsk: ask, LastPaid: lastPaid.Of(key).Price, Available: available}
}

// Waits reports whether the rule has no starting price yet.
func (r Rule) Waits() bool { return (r.Measure == Drops || r.Measure == Rises) && r.Price == 0 }

// From sets the starting price of a rule that waits for one, if the price is known.
func (r Rule) From(price model.PriceCents) Rule {
	if r.Waits() && price.Known() {
		r.Price = price
	}
	return r
}

// Holds reports whether the rule is true. known is false without its last paid or starting price.
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
	if r.Measure == NearLastPaid {
		return r.near(f.BestAsk, f.LastPaid), f.LastPaid.Known()
	}
	return r.moved(f.BestAsk, f.LastPaid), f.LastPaid.Known()
}

// Watched returns the value that the rule compares. The others are unknown or empty.
func (r Rule) Watched(f Facts) (price model.PriceCents, quantity model.Grams, state retirement.Status) {
	switch price, quantity = model.UnknownPrice, model.UnknownGrams; r.Measure {
	case BestAsk, UnderLastPaid, OverLastPaid, NearLastPaid, Drops, Rises:
		price = f.BestAsk
	case Available:
		quantity = f.Available
	case State:
		state = f.Status
	}
	return price, quantity, state
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
	by := r.exceeds(gap, from)
	return by > 0 || by == 0 && r.Compare == AtLeast
}

// String returns the rule in a form that ParseRule or ParseRequestRule accepts: "best ask ≤ $6.00",
// "≥ 5.0% under last paid", "below last paid", "drops 10.0% from $6.20", "becomes COMPLETE".
func (r Rule) String() string {
	share := r.Share.FormatShare()
	switch r.Measure {
	case BestAsk:
		return "best ask " + string(r.Compare) + " " + r.Price.FormatDollars()
	case Available:
		return "available " + string(r.Compare) + " " + r.Quantity.FormatTonnes()
	case Drops:
		return "drops " + share + r.start()
	case Rises:
		return "rises " + share + r.start()
	case State:
		return r.state()
	}
	return r.paidWords()
}

func (r Rule) start() string {
	if r.Waits() {
		return ""
	}
	return " from " + r.Price.FormatDollars()
}

// ErrNeverHolds is wrapped by the error of Check.
var ErrNeverHolds = errors.New("never holds")

// Check returns an error that wraps ErrNeverHolds if the rule can never be true. now is the
// state of its request, or empty if unknown.
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
