package model

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// ErrNotARule is returned for text that is no rule on a vintage.
var ErrNotARule = errors.New(`is no rule: write "price < 5", "above 9.50", "drops 10%", "5% under last paid" or "500 tonnes"`)

// ParseRule reads a rule as a person types it: "best ask <= 6.00", "price < 5", "cheaper
// than 5", "drops 10%", ">= 5% under last paid", "available > 1,000 t", "sold out". The
// error quotes what was not understood, and wraps ErrNotARule, ErrNotDigits or
// ErrOutOfRange.
func ParseRule(text string) (Rule, error) {
	text = plainRule(text)
	rule, part, err := parseRule(text)
	if err != nil {
		part = cmp.Or(part, text)
		return Rule{}, fmt.Errorf("%q %w", part, mistyped(part, err))
	}
	return rule, nil
}

func mistyped(part string, err error) error {
	number := strings.TrimPrefix(strings.TrimRight(part, "% "), "$")
	head, tail, _ := strings.Cut(number, ".")
	switch sign := strings.Trim(number, "0123456789"); {
	case errors.Is(err, ErrOutOfRange) || number == "":
	case strings.HasPrefix(sign, "-") && sign != number:
		return typedError{"is below zero: no price and no quantity is", err}
	case sign == "," && !grouped(number):
		return typedError{"has a comma where a point is meant: write " + strings.Replace(number, ",", ".", 1), err}
	case sign == "." && head != "" && tail != "" && errors.Is(err, ErrNotDigits):
		return typedError{"has more decimals than there can be: one in per cent, two in dollars, six in tonnes", err}
	case strings.HasPrefix(part, "="):
		return typedError{"is no rule: what is compared is above or below, write <= or >=", err}
	case sign == "." && head == "" && tail != "":
		return typedError{"is no number: write it like 0." + strings.TrimPrefix(strings.TrimPrefix(part, "$"), "."), err}
	case sign != "" && errors.Is(err, ErrNotDigits):
		return typedError{"is no number: write it like 5, 9.50 or 10%", err}
	}
	return err
}

func grouped(number string) bool {
	_, err := ungroup(number)
	return err == nil
}

// typedError says in other words why a text was not read.
type typedError struct {
	says string
	err  error
}

func (e typedError) Error() string { return e.says }
func (e typedError) Unwrap() error { return e.err }

func parseRule(text string) (r Rule, part string, err error) {
	if text == "sold out" {
		// What is left is less than anybody can buy.
		return Rule{Measure: Available, Compare: Below, Quantity: GramsPerTonne}, "", nil
	}
	limit, measure := text, ""
	for _, name := range []string{"best ask", "ask", "price", "available"} {
		if rest, ok := cutWord(text, name); ok {
			limit, measure = rest, name
			break
		}
	}
	for _, move := range moves {
		if rest, ok := cutWord(limit, move.word); ok && measure != "available" {
			return parseMoved(move.word, move.measure, rest)
		}
	}
	compare, limit := cutComparison(limit)
	for _, paid := range lastPaid {
		if share, ok := strings.CutSuffix(limit, paid.suffix); ok && measure == "" {
			return parseAgainstPaid(paid.measure, compare, share)
		}
	}
	if quantity, ok := cutTonnes(limit); ok && (measure == "" || measure == "available") || measure == "available" {
		return parseAvailable(compare, quantity, measure == "" && ok)
	}
	return parseAsk(compare, limit, measure)
}

var moves = [...]struct {
	word    string
	measure Measure
}{
	{"drops", Drops}, {"drop", Drops}, {"falls", Drops}, {"fall", Drops}, {"down", Drops},
	{"rises", Rises}, {"rise", Rises}, {"climbs", Rises}, {"climb", Rises}, {"up", Rises},
}

var lastPaid = [...]struct {
	suffix  string
	measure Measure
}{
	{"under last paid", UnderLastPaid}, {"below last paid", UnderLastPaid},
	{"over last paid", OverLastPaid}, {"above last paid", OverLastPaid},
}

var comparisons = [...]struct {
	sign    string
	compare Comparison
}{
	{"<=", AtMost}, {"≤", AtMost}, {">=", AtLeast}, {"≥", AtLeast}, {"<", Below}, {">", Above},
	{"at most", AtMost}, {"at least", AtLeast}, {"below", Below}, {"under", Below}, {"less than", Below}, {"lower than", Below}, {"cheaper than", Below},
	{"above", Above}, {"over", Above}, {"more than", Above}, {"higher than", Above}, {"greater than", Above}, {"dearer than", Above}, {"more expensive than", Above},
}

func cutWord(text, word string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, word)
	if !ok || rest != "" && 'a' <= rest[0] && rest[0] <= 'z' {
		return text, false
	}
	return strings.TrimSpace(rest), true
}

func cutComparison(s string) (Comparison, string) {
	for _, c := range comparisons {
		if limit, ok := cutWord(s, c.sign); ok {
			return c.compare, limit
		}
	}
	return "", s
}

func cutTonnes(text string) (quantity string, ok bool) {
	quantity = text
	for _, unit := range []string{"available", "tonnes", "tonne", "t"} {
		quantity = strings.TrimSpace(strings.TrimSuffix(quantity, unit))
	}
	if quantity == text || quantity == "" || strings.TrimRight(quantity, "0123456789") == quantity {
		return text, false
	}
	return quantity, true
}

func parseMove(measure Measure, text string) (r Rule, part string, err error) {
	text, _ = cutWord(text, "by")
	share, from, started := strings.Cut(text, " from ")
	r = Rule{Measure: measure, Compare: AtLeast}
	if r.Share, err = parseShare(share); err != nil {
		return r, share, err
	}
	if started {
		r.Price, err = ParseDollars(from)
		if err == nil && r.Price == 0 {
			err = ErrNotARule
		}
	}
	return r, from, err
}

func parseAgainstPaid(measure Measure, compare Comparison, text string) (r Rule, part string, err error) {
	r = Rule{Measure: measure, Compare: compare}
	switch compare {
	case "":
		r.Compare = AtLeast
	case Below, AtMost:
		return r, string(compare) + " " + strings.TrimSpace(text), ErrNotARule
	}
	r.Share, err = parseShare(text)
	return r, strings.TrimSpace(text), err
}

func parseShare(text string) (PerMille, error) {
	if text = strings.TrimSpace(text); !strings.HasSuffix(text, "%") {
		return 0, ErrNotARule
	}
	share, err := ParsePercent(text)
	if err == nil && share == 0 {
		return 0, ErrNotARule
	}
	return share, err
}

func parseAvailable(compare Comparison, quantity string, plain bool) (r Rule, part string, err error) {
	if compare == "" && plain {
		compare = AtLeast
	}
	if compare == "" {
		return r, quantity, ErrNotARule
	}
	r = Rule{Measure: Available, Compare: compare}
	r.Quantity, err = ParseTonnes(quantity)
	return r, quantity, err
}

func parseAsk(compare Comparison, limit, measure string) (r Rule, part string, err error) {
	switch {
	case limit == "last paid":
		return r, limit, typedError{"does not say by how much: write 5% under last paid", ErrNotARule}
	case compare == "" && strings.HasSuffix(limit, "%"):
		return r, limit, typedError{"does not say which way: write drops 10%, rises 10% or 10% under last paid", ErrNotARule}
	case compare == "" && measure == "":
		if at := strings.IndexAny(limit, "<>≤≥"); at > 0 {
			limit = strings.TrimSpace(limit[:at])
		}
		return r, limit, ErrNotARule
	}
	r = Rule{Compare: compare}
	if r.Price, err = ParseDollars(limit); err == nil && compare == "" {
		err = ErrNotARule
	}
	return r, limit, err
}
