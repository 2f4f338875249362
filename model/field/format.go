package field

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/spreadsheet"
)

// Unknown is the text of null in tables.
const Unknown = "-"

// Units are the units of texts for users. The zero value is tonnes and the local time zone.
type Units struct {
	Grams bool
	Zone  *time.Location
}

// String returns the value as users read it.
func (v Value) String() string { return v.Format(Units{}) }

// Format returns the value as users read it, in units.
func (v Value) Format(u Units) string {
	switch v.kind {
	case words:
		return v.text
	case grams:
		if u.Grams && v.n >= 0 {
			return model.Grams(v.n).FormatGrams()
		}
		return model.Grams(v.n).FormatTonnes()
	case netGrams:
		if v.n < 0 {
			return "−" + NetGrams(-v.n).Format(u)
		}
		return Grams(model.Grams(v.n)).Format(u)
	case tonnes:
		return model.FormatNumber(v.n) + " t"
	case shortage:
		return "short " + model.FormatNumber(v.n) + " t"
	case cents:
		return model.Cents(v.n).FormatDollars()
	case perMille:
		return model.PerMille(v.n).String()
	case moment:
		return day(time.Unix(v.n, 0), u.Zone)
	}
	return cmp.Or(v.Plain(), Unknown)
}

// Day returns the local date of a time with its zone, or the text if it is not a time.
func Day(t model.Timestamp) string { return Time(t).String() }

func day(at time.Time, zone *time.Location) string {
	return at.In(cmp.Or(zone, time.Local)).Format("2006-01-02 MST")
}

// Blank reports whether there is nothing to show. Tables show Unknown, or nothing for words.
func (v Value) Blank() bool {
	switch v.kind {
	case null:
		return true
	case text, words, texts:
		return v.Plain() == ""
	}
	return false
}

// CSV returns the value as a cell of CSV, empty for null. A spreadsheet does not take it for a formula.
func (v Value) CSV() string {
	switch v.kind {
	case text, words, moment, texts:
		return spreadsheet.Guard(v.Plain())
	}
	return v.Plain()
}

// Cell returns the value as a cell of a workbook: a number if a spreadsheet keeps its digits, a time, or text.
func (v Value) Cell() spreadsheet.Cell {
	switch {
	case v.IsNull():
	case v.isAmount():
		return spreadsheet.Integer(v.n)
	case v.kind == moment:
		return spreadsheet.Time(v.text)
	}
	return spreadsheet.Text(v.Plain())
}

// Plain returns the value as text for programs, empty for null. The texts of a list are joined by "; ".
func (v Value) Plain() string {
	switch {
	case v.IsNull():
		return ""
	case v.isAmount():
		return strconv.FormatInt(v.n, 10)
	case v.kind == texts:
		return strings.Join(v.texts(), "; ")
	case v.kind == flag, v.kind == array, v.kind == object:
		return string(v.AppendJSON(nil))
	}
	return v.text
}

func (v Value) texts() (all []string) {
	for _, item := range v.items {
		all = append(all, item.text)
	}
	return all
}
