package filter

import (
	"errors"
	"strings"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/country"
	"tonne/model/fold"
)

func (p *parser) condition(start int, name string, op alert.Comparison, without bool) error {
	of, known := findField(name)
	values, err := p.values(of)
	if err != nil {
		return err
	}
	refuse := func(why string) error { return &Error{strings.TrimSpace(p.text[start:p.at]), why} }
	c := condition{field: of, op: op, without: without}
	if op == unequal {
		c.op, c.without = alert.Equal, !without
	}
	switch {
	case !known:
		return refuse(noField(name))
	case len(values) == 0:
		return refuse("has no value: " + of.like())
	case of.isText() && c.op != alert.Equal:
		return refuse("compares a text: " + of.like())
	}
	for _, v := range values {
		if why := c.add(v); why != "" {
			return refuse(why)
		}
	}
	if of == fieldAvailable || of == fieldHeld {
		p.skipUnit()
	}
	p.filter.conditions = append(p.filter.conditions, c)
	return nil
}

func (c *condition) add(text string) (why string) {
	switch {
	case c.field == fieldCountry:
		var codes []string
		codes, why = countries(text)
		c.codes = append(c.codes, codes...)
	case c.field.isText():
		c.texts = append(c.texts, fold.String(text))
	default:
		c.number, why = number(c.field, text)
	}
	return why
}

func (p *parser) skipUnit() {
	before := p.at
	p.skipSpace()
	if unit, _ := p.value(""); unit != "t" && unit != "tonnes" {
		p.at = before
	}
}

func number(of field, value string) (n int64, why string) {
	var err error
	switch of {
	case fieldAsk, fieldPaid:
		var price model.PriceCents
		price, err = model.ParseDollars(value)
		n, why = int64(price), "is no price: "+of.like()
	case fieldAvailable, fieldHeld:
		var grams model.Grams
		grams, err = model.ParseTonnes(strings.TrimSuffix(strings.TrimSuffix(value, "onnes"), "t"))
		n, why = int64(grams), "is no quantity in tonnes: "+of.like()
	default:
		n, err = model.ParseDigits(value)
		why = "is no year: " + of.like()
	}
	switch {
	case err == nil:
		return n, ""
	case errors.Is(err, model.ErrOutOfRange):
		return 0, "is beyond any number"
	}
	return 0, why
}

func countries(value string) (codes []string, why string) {
	if codes = country.Find(value); len(codes) > 0 {
		return codes, ""
	}
	var names []string
	for _, name := range country.All {
		names = append(names, name)
	}
	if near, ok := nearest(value, names); ok {
		return nil, "is no country: did you mean " + near + "?"
	}
	return nil, "is no country: write a name, or a code of two letters like KE"
}

func noField(name string) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	known := strings.Join(names[:usual], ", ")
	if name == "" {
		return "compares nothing: put one of these in front: " + known
	}
	if near, ok := nearest(name, names); ok {
		return "compares what is not there: did you mean " + near + "?"
	}
	return "compares what is not there: there are " + known + "; a word with such a sign goes in quotation marks"
}

func nearest(typed string, names []string) (near string, ok bool) {
	typed = strings.ToLower(typed)
	best := 1 << 30
	for _, name := range names {
		if d := Distance(typed, strings.ToLower(name)); d < best && 3*d <= max(len(name), 3) {
			near, best = name, d
		}
	}
	return near, near != ""
}

const mostCompared = 64

// Distance counts letters to change, add, take away or swap between texts. Long ones are far apart.
func Distance(a, b string) int {
	if len(a) > mostCompared || len(b) > mostCompared {
		return mostCompared
	}
	// before, above and row belong to the letters i-2, i-1 and i of a.
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := above[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, row[j]+1, above[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
