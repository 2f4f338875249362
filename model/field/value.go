// Package field has the values of the fields of records. A value keeps its type until an edge writes it: a cell of a
// table, JSON, CSV or a sheet. Start reading at Value.
package field

import (
	"iter"
	"strconv"

	"tonne/model"
)

// Value is the value of one field. The zero value is null.
type Value struct {
	kind kind
	role Role
	// n is an amount in the unit of the kind, the milliseconds of a moment since 1970, or 1 for true.
	n int64
	// text is a text, or a moment as the service wrote it.
	text string
	// items are the items of an array, or the members of an object.
	items iter.Seq2[string, Value]
}

type kind uint8

const (
	null kind = iota
	text
	words
	grams // the first amount
	netGrams
	tonnes
	shortage
	cents
	change
	perMille
	number // the last amount
	flag
	moment
	texts
	array
	object
)

// isAmount reports whether n is the whole value, a number.
func (v Value) isAmount() bool { return v.kind >= grams && v.kind <= number }

// Role is the meaning of a value among others, which a screen shows by a style.
type Role uint8

// The roles.
const (
	// Plain is the role of most values.
	Plain Role = iota
	// BestAsk is the price to act on.
	BestAsk
	// LastPaid is the last price paid.
	LastPaid
	// Cheaper, Even and Dearer are the signs of a difference of prices.
	Cheaper
	Even
	Dearer
	// Warning is a value that needs attention.
	Warning
)

// Sign returns the role of a difference of prices.
func Sign[D ~int64](over D) Role {
	switch {
	case over > 0:
		return Dearer
	case over < 0:
		return Cheaper
	}
	return Even
}

// Role returns the role of the value.
func (v Value) Role() Role { return v.role }

// As returns the value in a role.
func (v Value) As(r Role) Value {
	v.role = r
	return v
}

// Text returns a text from the service.
func Text(s string) Value { return Value{kind: text, text: s} }

// Words returns a text for users. Tables show it unchanged, even if it is empty.
func Words(s string) Value { return Value{kind: words, text: s} }

// Texts returns a list of texts: an array in JSON, joined by "; " elsewhere.
func Texts(all []string) Value {
	return Value{kind: texts, items: func(yield func(string, Value) bool) {
		for _, s := range all {
			if !yield("", Text(s)) {
				return
			}
		}
	}}
}

// Optional returns a text, or null if it is empty.
func Optional(s string) Value { return If(s != "", Text(s)) }

// Grams returns a quantity, which may be unknown: null in JSON. Tables show tonnes.
func Grams(g model.Grams) Value {
	if !g.Known() {
		g = model.UnknownGrams
	}
	return Value{kind: grams, n: int64(g)}
}

// NetGrams returns a sum of quantities, which may be below zero. Tables show tonnes.
func NetGrams(n int64) Value { return Value{kind: netGrams, n: n} }

// Price returns a price, or null if unknown. Tables show dollars.
func Price(p model.PriceCents) Value {
	if !p.Known() {
		return Value{}
	}
	return Cost(model.Cents(p))
}

// Tonnes returns a number of whole tonnes. Tables show it with its unit.
func Tonnes(n int64) Value { return Value{kind: tonnes, n: n} }

// Shortage returns a number of whole tonnes that are missing, as a warning.
func Shortage(n int64) Value { return Value{kind: shortage, n: n, role: Warning} }

// Cost returns an amount in cents. Tables show dollars.
func Cost(c model.Cents) Value { return Value{kind: cents, n: int64(c)} }

// Change returns a difference of amounts in cents, with the role of its sign. Tables show dollars with a sign.
func Change(c model.Cents) Value { return Value{kind: change, n: int64(c), role: Sign(c)} }

// Difference returns the difference of a price from another, with the role of its sign: a number in JSON. Tables
// show per cent.
func Difference(d model.PerMille) Value {
	return Value{kind: perMille, n: int64(d), role: Sign(d)}
}

// Time returns a time as the service wrote it, or null. Tables show the local date.
func Time(t model.Timestamp) Value {
	if t.Text == "" || !t.Known() {
		return Optional(t.Text)
	}
	return Value{kind: moment, n: t.Time.UnixMilli(), text: t.Text}
}

// UTC returns a time as Time does, with its text in UTC.
func UTC(t model.Timestamp) Value { return Time(model.Timestamp{Time: t.Time, Text: t.UTC()}) }

// Digits returns the number that a text is, or the text if it is no number without needless signs and zeros.
func Digits(s string) Value {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
		return Number(int(n))
	}
	return Text(s)
}

// Number returns a count: a number in JSON.
func Number(n int) Value { return Value{kind: number, n: int64(n)} }

// Year returns the year of a vintage, or null if unknown.
func Year(year int32) Value { return If(year != 0, Number(int(year))) }

// Bool returns a boolean, or null if missing.
func Bool(a model.OptionalBool) Value { return If(a != model.Unset, Flag(a == model.Yes)) }

// Flag returns true or false.
func Flag(yes bool) Value {
	v := Value{kind: flag}
	if yes {
		v.n = 1
	}
	return v
}

// Array returns a list of values. The sequence must yield the same values each time.
func Array(items iter.Seq[Value]) Value {
	return Value{kind: array, items: func(yield func(string, Value) bool) {
		for item := range items {
			if !yield("", item) {
				return
			}
		}
	}}
}

// Object returns named values, the members of a JSON object. The names need no escapes. The sequence must yield the
// same members each time.
func Object(members iter.Seq2[string, Value]) Value { return Value{kind: object, items: members} }

// If returns v if the condition is true, and null otherwise.
func If(there bool, v Value) Value {
	if !there {
		return Value{}
	}
	return v
}

// IsNull reports whether the value is null in JSON.
func (v Value) IsNull() bool { return v.kind == null || v.kind == grams && v.n < 0 }
