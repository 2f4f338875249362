package tabular

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	must "tonne/model/musttest"
	"tonne/model/texttest"
)

// records is what the tests read: the columns of a reconciliation, of which a quantity is needed.
func records() Spec {
	return Spec{
		Fields: []Field{
			{Name: "id", Kind: ID}, {Name: "tonnes", Kind: Tonnes}, {Name: "kilograms", Kind: Kilograms},
			{Name: "grams", Kind: Grams}, {Name: "date", Kind: Date},
			{Name: "reference", Kind: Reference}, {Name: "cost", Kind: Money}, {Name: "beneficiary"},
			{Name: "unit", Kind: Unit},
		},
		Missing: func(has func(string) bool) string {
			if !has("tonnes") && !has("kilograms") && !has("grams") {
				return "no column has the quantities"
			}
			return ""
		},
		Reversals: true,
	}
}

// outcome returns the records of a text, and the decisions; or the error.
func outcome(text string, s Spec) string {
	t, err := Parse(text, "")
	if err != nil {
		return "refused: " + err.Error()
	}
	r, err := t.Records(s)
	if format, ok := errors.AsType[*FormatError](err); ok && r == nil {
		return "refused: " + format.Error()
	}
	if columns, ok := errors.AsType[*ColumnsError](err); ok {
		return fmt.Sprintf("columns: %v: %s", columns, strings.Join(columns.Titles, "|"))
	}
	if err != nil {
		return err.Error()
	}
	out := []string{}
	for record := range r.All() {
		out = append(out, show(record, s))
	}
	if decided := r.Decisions(true); decided != "" {
		out = append(out, "["+decided+"]")
	}
	return strings.ReplaceAll(strings.Join(out, " "), "\n", "␊")
}

func show(record Record, s Spec) string {
	var cells []string
	for _, f := range s.Fields {
		text := record.Text(f.Name)
		switch {
		case text == "":
			continue
		case f.Kind.number():
			n, negative, _ := record.Number(f.Name)
			if text = fmt.Sprint(n); negative {
				text = "-" + text
			}
		case f.Kind == Date:
			text = record.Day(f.Name).Format(time.DateOnly)
		}
		cells = append(cells, f.Name+"="+text)
	}
	return fmt.Sprintf("%d{%s}", record.Line, strings.Join(cells, " "))
}

func TestFiles(t *testing.T) {
	t.Parallel()
	texttest.Table(t, "files", func(text string) string { return outcome(text, records()) })
}

func TestFormatsOfTheUser(t *testing.T) {
	t.Parallel()
	const ambiguous = "id;tonnes;date\nR1;1,234;03/04/2026\n"
	for _, c := range []struct {
		formats    Formats
		text, want string
	}{
		{Formats{Dates: "dmy", Decimal: ","}, ambiguous, "2{id=R1 tonnes=1234000 date=2026-04-03}"},
		{Formats{Dates: "mdy", Decimal: "."}, ambiguous, "2{id=R1 tonnes=1234000000 date=2026-03-04}"},
		{Formats{Dates: "ymd"}, "id,tonnes,date\nR1,5,03/04/2026\n",
			`line 2 has date "03/04/2026", which is not a date in the order ymd`},
		{Formats{Dates: "mdy"}, "id,tonnes,date\nR1,5,13/06/2026\n",
			`line 2 has date "13/06/2026", which is not a date in the order mdy`},
		{Formats{Dates: "mdy"}, "id,tonnes,date\nR1,5,06.13.2026\n", "2{id=R1 tonnes=5000000 date=2026-06-13}"},
		{Formats{Decimal: "."}, "id;tonnes\nR1;1,5\n", `line 2 has tonnes "1,5", which does not have the decimal mark '.'`},
	} {
		s := records()
		s.Formats = c.formats
		got, _, _ := strings.Cut(outcome(c.text, s), " [")
		must.Equal(t, got, c.want, c.formats, c.text)
	}
}

func TestColumnsOfTheUser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given   map[string]string
		ignored []string
		text    string
		want    string
	}{
		{map[string]string{"id": "vorgang"}, nil, "Vorgang,Menge\nR1,5\n",
			`2{id=R1 tonnes=5000000} [id is "Vorgang"; tonnes is "Menge"]`},
		{map[string]string{"tonnes": "Menge"}, nil, "id,Menge,Quantity\nR1,5,6\n",
			`2{id=R1 tonnes=5000000} [tonnes is "Menge"]`},
		{map[string]string{"tonnes": "Mange"}, nil, "id,Menge\nR1,5\n",
			`columns: there is no column "Mange" for --tonnes: id|Menge`},
		{map[string]string{"id": "a"}, nil, "a,A,tonnes\nR1,R2,5\n",
			`columns: columns 1 and 2, "a" and "A", could both be id: a|A|tonnes`},
		// The title of a named column says in which unit it is.
		{map[string]string{"grams": "Quantity (t)"}, nil, "id,Quantity (t)\nR1,5\n",
			`columns: "Quantity (t)" is in t, and grams is not: id|Quantity (t)`},
		{map[string]string{"tonnes": "Menge kg"}, nil, "id,Menge kg\nR1,5\n",
			`columns: "Menge kg" is in kg, and tonnes is not: id|Menge kg`},
		{map[string]string{"grams": "tonnes"}, nil, "id,tonnes\nR1,5\n",
			`columns: "tonnes" is in tonnes, and grams is not: id|tonnes`},
		{map[string]string{"grams": "Weight"}, nil, "id,Weight\nR1,5\n", `2{id=R1 grams=5} [grams is "Weight"]`},
		{map[string]string{"id": "--"}, nil, "id,,tonnes\nR1,5,6\n", `columns: there is no column "--" for --id: id||tonnes`},
		// A column that is named is not taken for another field.
		{map[string]string{"reference": "id"}, nil, "id,tonnes\nPO-1,5\n",
			`2{tonnes=5000000 reference=PO-1} [reference is "id"]`},
		// The line of titles is the one that has the named column.
		{map[string]string{"tonnes": "x"}, nil, "id,tonnes\nid,x\nR1,5\n",
			`3{id=R1 tonnes=5000000} [1 line above the titles is skipped; tonnes is "x"]`},
		{nil, []string{"date"}, "id,tonnes,date,datum\nR1,5,soon,never\n", `2{id=R1 tonnes=5000000}`},
	} {
		s := records()
		s.Given, s.Ignored = c.given, c.ignored
		must.Equal(t, outcome(c.text, s), c.want, c.given, c.text)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	rows.WriteString("id,tonnes\n")
	for range MaxRows + 1 {
		rows.WriteString("a,1\n")
	}
	must.Equal(t, outcome(rows.String(), records()), "it has more than 1,000,000 records; split it")
	_, err := Read(strings.NewReader(strings.Repeat("a", 100)), Options{Largest: 99})
	must.Equal(t, err, error(TooLargeError(99)))
	_, err = Read(strings.NewReader(""), Options{Largest: 99, Size: 100})
	must.Equal(t, err, error(TooLargeError(99)), "a file of this size is not read")
	wide := strings.Repeat("a,", maxCells)
	must.Equal(t, outcome("id,tonnes\n"+wide+"\n", records()), "line 2 has more than 16,384 cells")
	must.Equal(t, outcome(wide+"\nid,tonnes\nR1,5\n", records()),
		"3{id=R1 tonnes=5000000} [1 line above the titles is skipped]")
	open := "id,tonnes\n\"" + strings.Repeat("R1,5\n", maxRecord)
	must.Equal(t, outcome(open, records()), "line 2 has a quotation mark that is not closed")
}

// Messages quote a part of a long cell, so that faults do not need more memory than the file.
func TestLongCellsAreClipped(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 100_000)
	for _, text := range []string{
		"id,tonnes\nR1," + long + "\n", "id,tonnes\nR1,5," + long + "\n", "id,tonnes,tonnes" + long + "\nR1,x\n",
		long + ",a\n", "id,tonnes,date\nR1,5," + long + "\n",
	} {
		got := outcome(text, records())
		must.Hold(t, len(got) < 2000, len(got), got[:min(len(got), 100)])
	}
}

func TestReadOfUnknownSize(t *testing.T) {
	t.Parallel()
	text := "id,tonnes\n" + strings.Repeat("R1,5\n", 100_000)
	for _, size := range []int64{0, 5, int64(len(text)), int64(len(text)) + 100} {
		table := must.Get(Read(strings.NewReader(text), Options{Size: size}))
		must.Hold(t, table.Text() == text, "size", size, len(table.Text()))
	}
}

// What is read depends on neither line ends nor delimiter.
func FuzzDialects(f *testing.F) {
	f.Add("R1", "1.5", "PO 7")
	f.Add("=\"01\"", "(5)", "a\"b,c;d")
	f.Fuzz(func(t *testing.T, id, tonnes, reference string) {
		const header = "id,tonnes,reference\n"
		quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
		text := header + quoted(id) + "," + quoted(tonnes) + "," + quoted(reference) + "\n"
		if strings.ContainsAny(id+tonnes+reference, "\r\n\t,;") {
			outcome(text, records())
			return
		}
		want, _, _ := strings.Cut(" "+outcome(text, records()), " [")
		for _, comma := range []string{";", "\t"} {
			other := strings.ReplaceAll(text, ",", comma)
			for _, end := range []string{"\n", "\r\n", "\r"} {
				got, _, _ := strings.Cut(" "+outcome(strings.ReplaceAll(other, "\n", end), records()), " [")
				must.Hold(t, strings.TrimSpace(got) == strings.TrimSpace(want), comma, end, got, want)
			}
		}
	})
}

// No file makes the reader panic, and each record that it accepts can be read.
func FuzzParse(f *testing.F) {
	for _, input := range texttest.Inputs("files") {
		f.Add([]byte(input))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		table, err := Parse(string(raw), "")
		if err != nil {
			must.Hold(t, errors.As(err, new(*FormatError)), err)
			return
		}
		r, err := table.Records(records())
		if r == nil {
			must.Hold(t, errors.As(err, new(*ColumnsError)) || errors.As(err, new(*FormatError)), err)
			return
		}
		count := 0
		for record := range r.All() {
			count++
			n, _, stated := record.Number("tonnes")
			must.Hold(t, n >= 0 && (stated || record.Text("tonnes") == ""), record.Line, n)
			day := record.Day("date")
			must.Hold(t, day.IsZero() == (record.Text("date") == ""), record.Line, record.Text("date"))
		}
		must.Hold(t, err != nil || count == r.Count, count, r.Count)
	})
}
