package output

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/spreadsheet"
)

// Value is one cell of a record. The zero value is null: empty in CSV.
type Value struct {
	text string
	// kind is the type in JSON.
	kind kind
	// unit is the format in tables.
	unit unit
}

type kind uint8

const (
	null kind = iota
	text
	literal
	listed
)

type unit uint8

const (
	plain unit = iota
	grams
	tonnes
	cents
	date
)

// Text returns a text from the service.
func Text(s string) Value { return Value{text: s, kind: text} }

// Texts returns a list of texts without control characters: an array in JSON, joined by "; " in CSV.
func Texts(all []string) Value {
	if len(all) == 0 {
		return Value{kind: listed}
	}
	return Value{text: strings.Join(all, end) + end, kind: listed}
}

// end terminates each text of a list.
const end = "\x00"

func (v Value) list() []string {
	if v.text == "" {
		return []string{}
	}
	return strings.Split(strings.TrimSuffix(v.text, end), end)
}

// Optional returns a text, or null if it is empty.
func Optional(s string) Value { return If(s != "", Text(s)) }

// Grams returns a quantity, or null if unknown. Tables show tonnes.
func Grams(g model.Grams) Value { return If(g.Known(), Text(g.String())).as(grams) }

// Price returns a price, or null if unknown. Tables show dollars.
func Price(p model.PriceCents) Value { return If(p.Known(), Text(p.String())).as(cents) }

// Tonnes returns a number of whole tonnes. Tables show it with its unit.
func Tonnes(n int64) Value { return Text(strconv.FormatInt(n, 10)).as(tonnes) }

// Cost returns an amount in cents. Tables show dollars.
func Cost(c model.Cents) Value { return Text(c.String()).as(cents) }

// Time returns a time as the service wrote it, or null. Tables show the local date.
func Time(t model.Timestamp) Value { return Optional(t.Text).as(date) }

func (v Value) as(u unit) Value {
	v.unit = u
	return v
}

// Number returns a count.
func Number(n int) Value { return Value{text: strconv.Itoa(n), kind: literal} }

// Year returns the year of a vintage, or null if unknown.
func Year(year int32) Value { return If(year != 0, Number(int(year))) }

// Bool returns a boolean, or null if missing.
func Bool(a model.OptionalBool) Value { return If(a != model.Unset, Flag(a == model.Yes)) }

// Flag returns true or false.
func Flag(yes bool) Value { return Value{text: strconv.FormatBool(yes), kind: literal} }

// If returns v if the condition is true, and null otherwise.
func If(there bool, v Value) Value {
	if !there {
		return Value{}
	}
	return v
}

// MarshalJSON writes the value as a string, number, boolean or null.
func (v Value) MarshalJSON() ([]byte, error) { return v.appendJSON(nil), nil }

func (v Value) appendJSON(b []byte) []byte {
	switch {
	case v.kind == null:
		return append(b, "null"...)
	case v.kind == literal:
		return append(b, v.text...)
	case v.kind == listed:
		array, _ := marshal(v.list())
		return append(b, array...)
	case isPlain(v.text):
		b = append(b, '"')
		b = append(b, v.text...)
		return append(b, '"')
	}
	// Any text can be quoted.
	quoted, _ := marshal(v.text)
	return append(b, quoted...)
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// Unknown is the text of null.
const Unknown = "-"

// Units are the units of texts for users. The zero value is tonnes and the local time zone.
type Units struct {
	Grams bool
	Zone  *time.Location
}

// String returns the value as users read it.
func (v Value) String() string { return v.format(Units{}) }

func (v Value) format(u Units) string {
	switch n, err := strconv.ParseInt(v.text, 10, 64); {
	case v.unit == grams && err != nil:
		return model.UnknownGrams.FormatTonnes()
	case v.unit == grams && u.Grams:
		return model.Grams(n).FormatGrams()
	case v.unit == grams:
		return model.Grams(n).FormatTonnes()
	case v.unit == tonnes:
		return model.FormatNumber(n) + " t"
	case v.unit == cents && err == nil:
		return model.Cents(n).FormatDollars()
	case v.unit == date:
		return day(model.ParseTimestamp(v.text), cmp.Or(u.Zone, time.Local))
	}
	return cmp.Or(v.plain(), Unknown)
}

// Day returns the local date of a time with its zone, or the text if it is not a time.
func Day(t model.Timestamp) string { return day(t, time.Local) }

func day(t model.Timestamp, zone *time.Location) string {
	if !t.Known() {
		return cmp.Or(t.Text, Unknown)
	}
	return t.Time.In(zone).Format("2006-01-02 MST")
}

func (v Value) csv() string {
	number := v.unit == grams || v.unit == tonnes || v.unit == cents
	if (v.kind == text || v.kind == listed) && !number {
		return Cell(v.plain())
	}
	return v.text
}

// sheet returns the cell of a workbook: a number if a spreadsheet keeps its digits, a time, or text.
func (v Value) sheet() spreadsheet.Cell {
	switch {
	case v.unit == date:
		return spreadsheet.Time(v.text)
	case v.unit != plain, v.kind == literal:
		return spreadsheet.Whole(v.text)
	}
	return spreadsheet.Text(v.plain())
}

// plain returns the text, with the texts of a list joined by "; ".
func (v Value) plain() string {
	if v.kind == listed {
		return strings.Join(v.list(), "; ")
	}
	return v.text
}

// Cell returns a text for CSV that a spreadsheet does not interpret as a formula.
func Cell(s string) string { return spreadsheet.Guard(s) }
