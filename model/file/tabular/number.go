package tabular

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"tonne/model"
)

// decimals are the decimals of each kind of number: those of the unit that it is read as.
var decimals = map[Kind]int{Tonnes: 6, Kilograms: 3, Money: 2}

func (k Kind) number() bool { return k >= Grams && k <= Cents }

var notNumber = map[Kind]string{
	Grams: "is not a whole number of grams", Tonnes: "is not a number of tonnes with at most 6 decimals",
	Kilograms: "is not a number of kilograms with at most 3 decimals",
	Money:     "is not an amount", Cents: "is not a whole number of cents",
}

// counted are names of a tonne in cells, besides its units: a credit is a tonne, and SAP counts credits in pieces.
var counted = []string{
	"to", "ton", "tonne", "tonnen", "tonelada", "toneladas", "tonnellata", "tonnellate", "metricton", "metrictons",
	"credit", "credits", "vcu", "vcus", "ver", "vers", "cer", "cers", "ea", "each", "unit", "units", "st", "stk", "stuck",
	"pc", "pcs", "pce",
}

// quantity returns the kind of the quantities of a table.
func (s *Spec) quantity(h *header) Kind {
	for _, f := range s.Fields {
		if len(units[f.Kind]) > 0 && h.has(f.Name) {
			return f.Kind
		}
	}
	return Text
}

// named reports whether a text is a name of the unit of the kind.
func (k Kind) named(unit string) bool {
	plain := plainTitle(unit)
	return slices.Contains(units[k], plain) || k == Tonnes && slices.Contains(counted, plain)
}

// inUnit returns the field whose quantities have the unit.
func (s *Spec) inUnit(unit string) (f Field, found bool) {
	at := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Kind.named(unit) })
	if at < 0 {
		return Field{}, false
	}
	return s.Fields[at], true
}

// checkUnit returns an error for a unit that is not that of the quantities.
func (k Kind) checkUnit(text string) error {
	if k == Text || k.named(text) {
		return nil
	}
	return fmt.Errorf("is not the unit of the quantities, which are read as %s", units[k][0])
}

// currencies are those that titles of amounts name, besides US dollars.
var currencies = []string{
	"€", "£", "¥", "₹", "EUR", "GBP", "CHF", "JPY", "CNY", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "PLN",
	"CZK", "HUF", "RON", "INR", "BRL", "MXN", "ZAR", "SGD", "HKD", "KRW", "TRY", "AED", "ILS",
}

// currencyOf returns the currency that a title names, unless it is US dollars.
func currencyOf(title string) string {
	words := strings.FieldsFunc(title, func(r rune) bool { return strings.ContainsRune(" _-./()[]:,", r) })
	for _, word := range words {
		for _, c := range currencies {
			if strings.EqualFold(word, c) {
				return c
			}
		}
	}
	return ""
}

// signed is the text of a number without its sign and currency.
type signed struct {
	text     string
	negative bool
	// dollars is set if the cell has a sign of dollars.
	dollars bool
}

// unsign removes parentheses, a minus at either end, and, from money, the currency.
func unsign(text string, money bool) (s signed) {
	s.text = text
	for again := true; again; {
		before := s.text
		if inner, ok := strings.CutPrefix(s.text, "("); ok && strings.HasSuffix(inner, ")") && !s.negative {
			s.text, s.negative = trim(inner[:len(inner)-1]), true
		}
		for _, minus := range []string{"-", "−"} {
			for _, cut := range []func(string, string) (string, bool){strings.CutPrefix, strings.CutSuffix} {
				if rest, ok := cut(s.text, minus); ok && !s.negative {
					s.text, s.negative = trim(rest), true
				}
			}
		}
		for _, sign := range []string{"US$", "USD", "$"} {
			for _, cut := range []func(string, string) (string, bool){strings.CutPrefix, strings.CutSuffix} {
				if rest, ok := cut(s.text, sign); ok && money && !s.dollars {
					s.text, s.dollars = trim(rest), true
				}
			}
		}
		again = s.text != before
	}
	return s
}

// errPrecise is the error for a number with more decimals than its unit has.
var errPrecise = errors.New("has too many decimals")

// value reads digits with a decimal mark, in units of 10 to the power of −decimals. Zeros beyond
// are accepted, except in cents: "7.00" may be dollars. marked reports whether there is a mark.
func (k Kind) value(text string, mark byte) (n int64, marked bool, err error) {
	places := decimals[k]
	head, tail, marked := strings.Cut(text, string(mark))
	if marked && tail == "" || text == "" || strings.Trim(tail, "0123456789") != "" {
		return 0, false, model.ErrNotDigits
	}
	if head, err = ungroup(head, mark); err != nil {
		return 0, false, err
	}
	if marked && k == Cents {
		return 0, false, errPrecise
	}
	if len(tail) > places {
		if strings.Trim(tail[places:], "0") != "" {
			return 0, false, errPrecise
		}
		tail = tail[:places]
	}
	n, err = model.ParseDigits(head + tail + strings.Repeat("0", places-len(tail)))
	return n, marked, err
}

// marks separate groups of digits. The blanks are U+0020, U+00A0, U+202F and U+2009.
const marks = ".,'’ \u00a0\u202f\u2009"

// ungroup removes the marks between groups of three digits, or of two above the last in the Indian
// way. One kind of mark separates all groups.
func ungroup(head string, mark byte) (string, error) {
	at := strings.IndexAny(head, marks)
	if at < 0 {
		if head == "" {
			return "0", nil
		}
		return head, nil
	}
	var between string
	for _, r := range head[at:] {
		between = string(r)
		break
	}
	groups := strings.Split(head, between)
	last := len(groups) - 1
	size := 3
	if between == "," && last > 1 && len(groups[1]) == 2 {
		size = 2
	}
	if groups[0] == "" || groups[0][0] == '0' || len(groups[0]) > size || between == string(mark) {
		return "", model.ErrNotDigits
	}
	for i, group := range groups[1:] {
		if i+1 == last && len(group) != 3 || i+1 < last && len(group) != size {
			return "", model.ErrNotDigits
		}
	}
	return strings.Join(groups, ""), nil
}

// numbers decides how a column of numbers is written.
type numbers struct {
	Field
	title  string
	signed bool
	// mark is the decimal mark, or 0 while no cell decides it; by is the line that did.
	mark byte
	by   int
	// said is set if the user gave the mark.
	said bool
	// matters is set if the mark changes a value.
	matters bool
	// dollars is set if the title or a cell has a sign or decimals of dollars.
	dollars   bool
	reversals int
	// ambiguous are cells with two readings, undecided those that may be dollars or cents. precise is the
	// first cell that has too many decimals, unless its point separates groups.
	ambiguous, undecided []Fault
	precise              *Fault
}

func newNumbers(f Field, title string, s *Spec) *numbers {
	n := &numbers{Field: f, title: title, signed: s.Reversals}
	if s.Decimal != "" {
		n.mark, n.said = s.Decimal[0], true
	}
	plain := plainTitle(title)
	if f.Kind == Money && (strings.HasSuffix(plain, "cents") || strings.HasSuffix(plain, "cent")) {
		n.Kind = Cents
	}
	n.dollars = strings.HasSuffix(plain, "usd") || strings.Contains(title, "$") || strings.HasSuffix(plain, "dollars")
	return n
}

// read reads a cell after the column is decided.
func (n *numbers) read(c cell) (amount int64, negative bool) {
	text := unsign(tidy(c.text), n.Kind == Money)
	mark := n.mark
	if mark == 0 || c.kind == number {
		mark = '.'
	}
	amount, _, _ = n.Kind.value(text.text, mark)
	return amount, text.negative
}

// look learns from a cell, and returns what is wrong with it.
func (n *numbers) look(line int, c cell) error {
	text := unsign(tidy(c.text), n.Kind == Money)
	if text.negative {
		if n.reversals++; !n.signed {
			return errors.New("is below zero: reversals are not read here")
		}
	}
	point, fraction, pointErr := n.Kind.value(text.text, '.')
	n.dollars = n.dollars || text.dollars || pointErr == nil && fraction
	comma, commas, commaErr := n.Kind.value(text.text, ',')
	n.dollars = n.dollars || commaErr == nil && pointErr != nil && commas
	if n.Kind == Money && !n.dollars && point+comma != 0 {
		n.undecided = append(n.undecided[:min(len(n.undecided), maxFaults-1)], Fault{line, clip(text.text)})
	}
	if c.kind == number {
		return n.numberError(pointErr, pointErr)
	}
	switch {
	case pointErr == nil && commaErr == nil && point == comma:
		return nil
	case pointErr == nil && commaErr == nil:
		n.twice(line, c, n.format(point), comma)
		return nil
	case pointErr == errPrecise && commaErr == nil:
		// A point and three digits do not decide that the point separates groups: see $500.125.
		if n.precise == nil {
			n.precise = &Fault{line,
				fmt.Sprintf("has %s %q, which %v", clip(n.title), clip(tidy(c.text)), n.numberError(pointErr))}
		}
		n.twice(line, c, n.exact(text.text), comma)
		return nil
	case pointErr == nil:
		return n.decide('.', line)
	case commaErr == nil:
		return n.decide(',', line)
	}
	return n.numberError(pointErr, commaErr)
}

// twice learns of a cell with two readings: as text with a decimal point, and as a number with a decimal comma.
func (n *numbers) twice(line int, c cell, point string, comma int64) {
	n.matters = true
	if n.mark == 0 {
		why := fmt.Sprintf("has %s %q, which is %s or %s", clip(n.title), clip(tidy(c.text)), point, n.format(comma))
		n.ambiguous = append(n.ambiguous[:min(len(n.ambiguous), maxFaults-1)], Fault{line, why})
	}
}

// exact formats a number with more decimals than its unit has.
func (n *numbers) exact(digits string) string {
	switch n.Kind {
	case Grams:
		return digits + " g"
	case Cents:
		return digits + "c"
	}
	return "$" + digits
}

// numberError returns the error for a cell that has neither reading.
func (n *numbers) numberError(errs ...error) error {
	for _, err := range errs {
		if err == nil || errors.Is(err, model.ErrOutOfRange) {
			return err
		}
	}
	return errors.New(notNumber[n.Kind])
}

// decide takes the mark of a cell that has only one reading.
func (n *numbers) decide(mark byte, line int) error {
	switch {
	case n.mark == 0:
		n.mark, n.by = mark, line
	case n.mark != mark && n.said:
		return fmt.Errorf("does not have the decimal mark %q", n.mark)
	case n.mark != mark:
		return fmt.Errorf("has another decimal mark than line %d", n.by)
	}
	n.matters = n.matters || mark == ','
	return nil
}

// end adds the cells that nothing decides.
func (n *numbers) end(e *FaultsError) {
	for _, f := range n.ambiguous {
		if n.mark == 0 {
			e.Add(f.Line, "%s", f.Why)
			e.decide(DecimalFlag)
		}
	}
	if n.mark == '.' && n.precise != nil {
		e.Add(n.precise.Line, "%s", n.precise.Why)
	}
	for _, f := range n.undecided {
		if !n.dollars {
			cents, _, err := Cents.value(f.Why, '.')
			if err != nil {
				cents, _, _ = Cents.value(f.Why, ',')
			}
			e.Add(f.Line, "has %s %q, which may be dollars or cents, $%s or %s: call the column cost_usd or cost_cents",
				clip(n.title), f.Why, f.Why, model.Cents(cents).FormatDollars())
		}
	}
}

func (n *numbers) decisions() (all []string) {
	if n.matters && n.mark != 0 && !n.said {
		name := map[byte]string{'.': "point", ',': "comma"}[n.mark]
		all = append(all, fmt.Sprintf("%q has a decimal %s", n.title, name))
	}
	if n.reversals > 0 && n.signed && n.Kind != Money {
		all = append(all, model.Count(n.reversals, "reversal", "reversals"))
	}
	return all
}

// format formats a value as a person reads it.
func (n *numbers) format(value int64) string {
	switch n.Kind {
	case Tonnes:
		return model.Grams(value).FormatTonnes()
	case Kilograms, Grams:
		return model.Grams(value).FormatGrams()
	}
	return model.Cents(value).FormatDollars()
}
