package field

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/file/spreadsheet"
)

// Unknown is the text of null in tables.
const Unknown = "-"

// Units are the units of texts for users. The zero value is tonnes and the local time zone.
type Units struct {
	Grams bool
	Zone  *time.Location
	// Layout is the layout of times, a date with its zone if empty.
	Layout string
}

// String returns the value as users read it.
func (v Value) String() string { return v.Format(Units{}) }

// Format returns the value as users read it, in units.
func (v Value) Format(u Units) string {
	switch v.kind {
	case null:
		return Unknown
	case words:
		return v.text
	case text:
		return cmp.Or(v.text, Unknown)
	}
	return string(v.Append(nil, u))
}

// Append appends the value as users read it, in units. It does not allocate for numbers.
func (v Value) Append(b []byte, u Units) []byte {
	switch v.kind {
	case words:
		return append(b, v.text...)
	case grams:
		if u.Grams && v.n >= 0 {
			return append(model.Grams(v.n).AppendGrams(b), " g"...)
		}
		return append(model.Grams(v.n).AppendTonnes(b), " t"...)
	case netGrams:
		if v.n < 0 {
			return NetGrams(-v.n).Append(append(b, "−"...), u)
		}
		return Grams(model.Grams(v.n)).Append(b, u)
	case tonnes:
		if g, err := model.WholeTonnes(v.n); err == nil && u.Grams {
			return Grams(g).Append(b, u)
		}
		return append(model.AppendNumber(b, v.n), " t"...)
	case shortage:
		return append(model.AppendNumber(append(b, "short "...), v.n), " t"...)
	case change, cents:
		if v.kind == change && v.n > 0 {
			b = append(b, '+')
		}
		return model.Cents(v.n).AppendDollars(b)
	case perMille:
		return model.PerMille(v.n).Append(b)
	case number:
		return strconv.AppendInt(b, v.n, 10)
	case moment:
		return time.UnixMilli(v.n).In(cmp.Or(u.Zone, time.Local)).AppendFormat(b, cmp.Or(u.Layout, dayLayout))
	}
	return append(b, cmp.Or(v.Plain(), Unknown)...)
}

const dayLayout = "2006-01-02 MST"

// Day returns the local date of a time with its zone, or the text if it is not a time.
func Day(t model.Timestamp) string { return Time(t).String() }

// Bare returns the value for pasting into a sheet: a number in units, without the unit and without separators, or the
// text. It is empty if unknown.
func (v Value) Bare(u Units) string {
	switch {
	case v.IsNull():
		return ""
	case v.kind == cents, v.kind == change:
		return decimal(v.n, 100, 2)
	case v.kind == perMille:
		return decimal(v.n, 10, 1) + "%"
	case v.kind == tonnes && u.Grams:
		return strconv.FormatInt(v.n, 10) + "000000"
	case (v.kind == grams || v.kind == netGrams) && !u.Grams:
		if v.n%model.GramsPerTonne == 0 {
			return strconv.FormatInt(v.n/model.GramsPerTonne, 10)
		}
		return decimal(v.n, model.GramsPerTonne, 6)
	case v.isAmount() && v.kind != shortage:
		return strconv.FormatInt(v.n, 10)
	case v.Blank():
		return ""
	}
	return v.Format(u)
}

// decimal returns n divided by a power of ten, with its digits after the point.
func decimal(n, by int64, digits int) string {
	sign := ""
	if n < 0 {
		sign = "-"
	}
	return fmt.Sprintf("%s%d.%0*d", sign, max(n/by, -(n/by)), digits, max(n%by, -(n%by)))
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

// IsText returns the text of a value that users read unchanged.
func (v Value) IsText() (string, bool) { return v.text, v.kind == words || v.kind == text }

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
