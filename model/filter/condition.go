package filter

import (
	"slices"
	"strings"

	"tonne/model/alert"
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

// fields are the names of the fields, the usual ones first, each with an example.
var fields = [...]struct {
	name  string
	field field
	like  string
}{
	{"ask", fieldAsk, "ask<10"}, {"paid", fieldPaid, "paid<10"}, {"available", fieldAvailable, "available>=500"},
	{"held", fieldHeld, "held>=500"}, {"vintage", fieldVintage, "vintage>=2022"}, {"project", fieldProject, "project:bale"},
	{"type", fieldType, "type:cookstoves"}, {"country", fieldCountry, "country:KE"}, {"registry", fieldRegistry, "registry:verra"},
	{"id", fieldID, "id:003"}, {"label", fieldLabel, "label:ccp"},
	{name: "price", field: fieldAsk}, {name: "balance", field: fieldHeld}, {name: "year", field: fieldVintage},
	{name: "name", field: fieldProject}, {name: "cc", field: fieldCountry},
}

// usual is how many of the names are the usual ones: one of each field, in order.
const usual = int(fieldLabel) + 1

func findField(name string) (field, bool) {
	for _, f := range fields {
		if strings.EqualFold(f.name, name) {
			return f.field, true
		}
	}
	return 0, false
}

func (f field) like() string { return "write it like " + fields[f].like }

func (f field) isText() bool { return f >= fieldProject }

type condition struct {
	field   field
	without bool
	// op compares a number: "" asks only that it is known.
	op     alert.Comparison
	number int64
	// Any of texts, as fold has them, or of codes of countries will do.
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
	return known && (c.op == "" || c.op.Holds(value, c.number))
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
	switch c.field {
	case fieldAsk:
		return int64(r.BestAsk), r.BestAsk.Known()
	case fieldPaid:
		return int64(r.LastPaid), r.LastPaid.Known()
	case fieldAvailable:
		return int64(r.Available), r.Available.Known()
	case fieldHeld:
		return int64(r.Held), r.Held.Known()
	}
	return int64(r.Year), r.Year != 0
}
