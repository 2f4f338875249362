package alert

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"tonne/model"
)

// ErrNotARule is returned for text that is not a rule on a vintage.
var ErrNotARule = errors.New(
	`is no rule: write "price < 5", "above 9.50", "drops 10%", "below last paid", "within 2% of last paid"` +
		` or "500 tonnes"`)

const compared = `(at or below|at or above|` +
	`<=|>=|[<>≤≥]|at most|at least|below|under|less than|cheaper than|above|over|more than|dearer than)`

// ruleForms are the forms of a rule, in the order in which they are tried.
type ruleForms struct{ move, paid, side, near, tonnes, left, ask *regexp.Regexp }

var forms = sync.OnceValue(func() ruleForms {
	return ruleForms{
		move: regexp.MustCompile(
			`^(?:(?:best ask|ask|price) )?(drops?|falls?|down|rises?|up)(?: by)? (\S+) ?%(?: from (.+))?$`),
		paid: regexp.MustCompile(
			`^(?:(>=|[>≥]|at least|above|over|more than) ?)?(\$ ?[^ %]+|[^ %]+ ?%) (under|below|over|above) last paid$`),
		side:   regexp.MustCompile(`^(?:best ask|ask|price)? ?` + compared + ` last paid$`),
		near:   regexp.MustCompile(`^(?:(?:best ask|ask|price) )?within (\$ ?[^ %]+|[^ %]+ ?%) of last paid$`),
		tonnes: regexp.MustCompile(`^(?:` + compared + ` ?)?([\d.,]+ ?(?:t|tonnes?|kg|kilograms?|g|grams?))(?: available)?$`),
		left:   regexp.MustCompile(`^available ?` + compared + ` ?(.+)$`),
		ask:    regexp.MustCompile(`^(?:best ask|ask|price)? ?` + compared + ` ?([^= ].*)$`),
	}
})

var comparisons = map[string]Comparison{
	"at or below": AtMost, "at or above": AtLeast,
	"<=": AtMost, "≤": AtMost, "at most": AtMost, ">=": AtLeast, "≥": AtLeast, "at least": AtLeast, "": AtLeast,
	"<": Below, "below": Below, "under": Below, "less than": Below, "cheaper than": Below,
	">": Above, "above": Above, "over": Above, "more than": Above, "dearer than": Above,
}

// ParseRule parses a rule as users type it: "best ask <= 6.00", "price < 5", "below
// last paid", "drops 10%", ">= 5% under last paid", "available > 1,000 t", "sold out". The
// error quotes the invalid part, and wraps ErrNotARule, ErrNotDigits or ErrOutOfRange.
func ParseRule(text string) (Rule, error) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	if text == "sold out" {
		// Only whole tonnes are sold.
		return Rule{Measure: Available, Compare: Below, Quantity: model.GramsPerTonne}, nil
	}
	r, number, err := matchRule(text)
	if err == nil && r.Share == 0 && (r.Measure == Drops || r.Measure == Rises) {
		err = ErrNotARule
	}
	if errors.Is(err, model.ErrNotDigits) {
		err = notANumber{}
	}
	if model.IsAmbiguous(err) {
		return Rule{}, err
	}
	if err != nil {
		return Rule{}, fmt.Errorf("%q %w", number, err)
	}
	return r, nil
}

func matchRule(text string) (r Rule, number string, err error) {
	f := forms()
	if m := f.move.FindStringSubmatch(text); m != nil {
		return matchMove(m)
	}
	if m := f.side.FindStringSubmatch(text); m != nil {
		return sidesOfLastPaid[comparisons[m[1]]], text, nil
	}
	if m := f.paid.FindStringSubmatch(text); m != nil {
		r = Rule{Measure: UnderLastPaid, Compare: comparisons[m[1]]}
		if m[3] == "over" || m[3] == "above" {
			r.Measure = OverLastPaid
		}
		return ofLastPaid(r, m[2])
	}
	if m := f.near.FindStringSubmatch(text); m != nil {
		return ofLastPaid(Rule{Measure: NearLastPaid, Compare: AtMost}, m[1])
	}
	for _, form := range []*regexp.Regexp{f.tonnes, f.left} {
		if m := form.FindStringSubmatch(text); m != nil {
			r = Rule{Measure: Available, Compare: comparisons[m[1]]}
			r.Quantity, err = model.ParseQuantity(m[2], model.UnknownGrams)
			return r, m[2], err
		}
	}
	if m := f.ask.FindStringSubmatch(text); m != nil && !strings.HasSuffix(text, "last paid") {
		r = Rule{Compare: comparisons[m[1]]}
		r.Price, err = model.ParseDollars(m[2])
		return r, m[2], err
	}
	return r, text, ErrNotARule
}

func matchMove(m []string) (r Rule, number string, err error) {
	r, number = Rule{Measure: Drops, Compare: AtLeast}, m[2]
	if strings.HasPrefix(m[1], "rise") || m[1] == "up" {
		r.Measure = Rises
	}
	if r.Share, err = model.ParsePercent(m[2] + "%"); err == nil && m[3] != "" {
		number = m[3]
		if r.Price, err = model.ParseDollars(m[3]); r.Price == 0 && err == nil {
			err = ErrNotARule
		}
	}
	return r, number, err
}

// notANumber is ErrNotDigits with a message about rules.
type notANumber struct{}

func (notANumber) Error() string { return "is no number: write it like 5, 9.50 or 10%" }
func (notANumber) Unwrap() error { return model.ErrNotDigits }
