package filter

import (
	"slices"
	"strings"

	"tonne/model"
	"tonne/model/fold"
)

type field int8

const (
	fieldAsk field = iota
	fieldPaid
	fieldAvailable
	fieldHeld
	fieldVintage
	fieldProject
	fieldType
	fieldCountry
	fieldRegistry
	fieldID
	fieldLabel
)

var fieldNames = [...]struct {
	name  string
	field field
}{
	{"ask", fieldAsk}, {"paid", fieldPaid}, {"available", fieldAvailable}, {"held", fieldHeld}, {"vintage", fieldVintage},
	{"project", fieldProject}, {"type", fieldType}, {"country", fieldCountry}, {"registry", fieldRegistry}, {"id", fieldID}, {"label", fieldLabel},
	{"price", fieldAsk}, {"balance", fieldHeld}, {"year", fieldVintage}, {"name", fieldProject}, {"cc", fieldCountry},
}

// usual is how many of the names are the usual ones.
const usual = 11

func findField(name string) (field, bool) {
	for _, f := range fieldNames {
		if f.name == name {
			return f.field, true
		}
	}
	return 0, false
}

func (f field) isText() bool { return f >= fieldProject }

// condition is what a field has to be. That of a value that is not known does
// not hold, unless it is turned round.
type condition struct {
	field   field
	without bool
	// op compares a number: "" asks only that it is known.
	op     string
	number int64
	// texts are parts of a text, as fold has them, of which any will do; codes are
	// the countries that are meant.
	texts, codes []string
}

func (c *condition) isMet(r *Row) bool {
	switch c.field {
	case fieldCountry:
		return slices.Contains(c.codes, r.Country)
	case fieldProject:
		return c.in(r.Name, r.ProjectID)
	case fieldType:
		return c.in(r.Type)
	case fieldRegistry:
		return c.in(r.Registry, r.RegistryID)
	case fieldLabel:
		return r.Labels != nil && c.in(r.Labels()...)
	case fieldID:
		return c.in(r.ProjectID, r.VintageID, r.RegistryID)
	}
	value, known := c.value(r)
	return known && compare(value, c.op, c.number)
}

func (c *condition) in(texts ...string) bool {
	for _, text := range texts {
		folded := fold.String(text)
		if slices.ContainsFunc(c.texts, func(part string) bool { return strings.Contains(folded, part) }) {
			return true
		}
	}
	return false
}

func (c *condition) value(r *Row) (int64, bool) {
	price := func(p model.PriceCents) (int64, bool) { return int64(p), p.Known() }
	switch c.field {
	case fieldAsk:
		return price(r.BestAsk)
	case fieldPaid:
		return price(r.LastPaid)
	case fieldAvailable:
		return int64(r.Available), r.Available.Known()
	case fieldHeld:
		return int64(r.Held), r.Held.Known()
	}
	return int64(r.Year), r.Year != 0
}

func compare(value int64, op string, limit int64) bool {
	switch op {
	case "<":
		return value < limit
	case "<=":
		return value <= limit
	case ">":
		return value > limit
	case ">=":
		return value >= limit
	case "=":
		return value == limit
	}
	return true
}
