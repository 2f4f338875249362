package filter

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/alert"
	"tonne/model/country"
	"tonne/model/fold"
)

// field is a field of a row that a condition can test: texts, or a number that is negative if unknown.
type field struct {
	// like is an example of a condition.
	name, alias, like string
	needs             Needs
	// marked reports that matches in its texts are highlighted.
	marked bool
	texts  func(r *Row) []string
	number func(r *Row) int64
	unit
}

// unit parses the limit of a number. otherwise completes an error message, such as "no price".
type unit struct {
	parse     func(text string) (int64, error)
	otherwise string
}

var (
	dollars = unit{func(text string) (int64, error) {
		price, err := model.ParseDollars(text)
		return int64(price), err
	}, "no price"}
	tonnes = unit{func(text string) (int64, error) {
		grams, err := model.ParseQuantity(text, model.UnknownGrams)
		return int64(grams), err
	}, "no quantity"}
	year    = unit{parseYear, "no year"}
	details = Needs{Details: true}
)

var (
	ask = &field{name: "ask", alias: "price", like: "ask<10", unit: dollars,
		number: func(r *Row) int64 { return int64(r.BestAsk) }}
	available = &field{name: "available", like: "available>=500", unit: tonnes,
		number: func(r *Row) int64 { return int64(r.Available) }}
	vintage = &field{name: "vintage", alias: "year", like: "vintage>=2022", unit: year, number: func(r *Row) int64 {
		return cmp.Or(int64(r.Year), -1)
	}}
	paid = &field{name: "paid", like: "paid<10", unit: dollars, needs: Needs{Paid: true}, number: func(r *Row) int64 {
		return int64(r.LastPaid)
	}}
)

var fields = []*field{
	ask, paid, available,
	{name: "held", alias: "balance", like: "held>=500", unit: tonnes, needs: Needs{Held: true},
		number: func(r *Row) int64 {
			return int64(r.Held)
		}},
	vintage,
	{name: "project", alias: "name", like: "project:bale", needs: details, marked: true, texts: func(r *Row) []string {
		return []string{r.Name, r.ProjectID}
	}},
	{name: "type", like: "type:cookstoves", needs: details, marked: true,
		texts: func(r *Row) []string { return []string{r.Type} }},
	{name: "country", alias: "cc", like: "country:KE", needs: details,
		texts: func(r *Row) []string { return []string{r.Country} }},
	{name: "registry", like: "registry:verra", needs: details, marked: true, texts: func(r *Row) []string {
		return []string{r.Registry, r.RegistryID}
	}},
	{name: "id", like: "id:003", needs: details, marked: true, texts: func(r *Row) []string {
		return []string{r.ProjectID, r.VintageID, r.RegistryID}
	}},
	{name: "label", like: "label:ccp", needs: Needs{Labels: true}, texts: func(r *Row) []string {
		if r.Labels == nil {
			return nil
		}
		return r.Labels()
	}},
}

// parseYear parses a year of four digits: 21 is no year, and all vintages would be later.
func parseYear(text string) (int64, error) {
	if len(text) != len("2021") {
		return 0, errors.New("it does not have four digits")
	}
	return model.ParseDigits(text)
}

type condition struct {
	*field
	without bool
	// op compares the number with limit. If empty, the number must only be known.
	op    alert.Comparison
	limit int64
	// parts are folded. One of the texts must contain one of them, or be equal if exact is set.
	parts []string
	exact bool
}

func (c *condition) isMet(r *Row) bool {
	if c.texts == nil {
		value := c.number(r)
		return value >= 0 && (c.op == "" || c.op.Holds(value, c.limit))
	}
	for _, text := range c.texts(r) {
		folded := fold.String(text)
		found := func(part string) bool { return strings.Contains(folded, part) }
		if c.exact {
			found = func(part string) bool { return folded == part }
		}
		if slices.ContainsFunc(c.parts, found) {
			return true
		}
	}
	return false
}

// add adds a value to the condition. If it is invalid, add returns the reason.
func (c *condition) add(text string) (why string) {
	switch {
	case c.name == "country":
		codes := country.Find(text)
		for _, code := range codes {
			c.parts = append(c.parts, fold.String(code))
		}
		if len(codes) == 0 {
			return noCountry(text)
		}
		return ""
	case c.texts != nil:
		c.parts = append(c.parts, fold.String(text))
		return ""
	}
	var err error
	var twice *model.AmbiguousError
	switch c.limit, err = c.parse(text); {
	case errors.As(err, &twice):
		return "can be read in two ways: " + twice.Readings
	case errors.Is(err, model.ErrOutOfRange):
		return "is beyond any number"
	case err != nil:
		return "is " + c.otherwise + ": " + c.usage()
	}
	return ""
}

func (f *field) usage() string { return "write it like " + f.like }

// Examples returns a condition for each field that a filter can have, such as "ask<10".
func Examples() []string {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.like
	}
	return all
}

func findField(name string) *field {
	for _, f := range fields {
		if name != "" && (strings.EqualFold(f.name, name) || strings.EqualFold(f.alias, name)) {
			return f
		}
	}
	return nil
}

func noField(name string) string {
	var names, all []string
	for _, f := range fields {
		names, all = append(names, f.name), append(all, f.name, cmp.Or(f.alias, f.name))
	}
	known := strings.Join(names, ", ")
	if name == "" {
		return "compares nothing: put one of these in front: " + known
	}
	if near := nearest(name, all); near != "" {
		return "compares what is not there: did you mean " + near + "?"
	}
	return "compares what is not there: there are " + known + "; a word with such a sign goes in quotation marks"
}

func noCountry(text string) string {
	var names []string
	for _, name := range country.All {
		names = append(names, name)
	}
	if near := nearest(text, names); near != "" {
		return "is no country: did you mean " + near + "?"
	}
	return "is no country: write a name, or a code of two letters like KE"
}

func nearest(typed string, names []string) (near string) {
	typed = strings.ToLower(typed)
	best := 1 << 30
	for _, name := range names {
		if d := Distance(typed, strings.ToLower(name)); d < best && 3*d <= max(len(name), 3) {
			near, best = name, d
		}
	}
	return near
}

const mostCompared = 64

// Distance returns the edit distance with transpositions. It is the maximum for long texts.
func Distance(a, b string) int {
	if len(a) > mostCompared || len(b) > mostCompared {
		return mostCompared
	}
	// before, above and row are the rows of the letters i-2, i-1 and i of a.
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
