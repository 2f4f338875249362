package tabular

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"tonne/model/file/spreadsheet"
	must "tonne/model/musttest"
)

// written returns a workbook with cells, written by a library.
func written(change func(*excelize.File)) string {
	book := excelize.NewFile()
	defer book.Close()
	change(book)
	var file bytes.Buffer
	ok(book.Write(&file))
	return file.String()
}

// ok panics for an error of the test itself.
func ok(err error) { must.Get(0, err) }

func fill(book *excelize.File, sheet string, rows ...[]any) {
	for i, row := range rows {
		ok(book.SetSheetRow(sheet, "A"+string(rune('1'+i)), &row))
	}
}

func TestWorkbooks(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 6, 13, 10, 0, 0, 0, time.UTC)
	styled := func(format string) func(*excelize.File) {
		return func(book *excelize.File) {
			fill(book, "Sheet1", []any{"id", "tonnes", "date"}, []any{7, 1.5, 46186})
			style := must.Get(book.NewStyle(&excelize.Style{CustomNumFmt: &format}))
			ok(book.SetCellStyle("Sheet1", "C2", "C2", style))
			ok(book.SetCellStyle("Sheet1", "A2", "A2", style))
		}
	}
	for name, c := range map[string]struct {
		change func(*excelize.File)
		want   string
	}{
		"types": {func(book *excelize.File) {
			fill(book, "Sheet1", []any{"id", "tonnes", "date"}, []any{"R1", 1234.567, day}, []any{"R2", "1,5", "2026-01-31"})
		}, `2{id=R1 tonnes=1234567000 date=2026-06-13} 3{id=R2 tonnes=1500000 date=2026-01-31} ["tonnes" has a decimal comma]`},
		"sum of floats": {func(book *excelize.File) {
			fill(book, "Sheet1", []any{"id", "tonnes"}, []any{"R1", 0.1 + 0.2}, []any{"R2", 1e9})
		}, `2{id=R1 tonnes=300000} 3{id=R2 tonnes=1000000000000000}`},
		"serial number of a day": {func(book *excelize.File) {
			fill(book, "Sheet1", []any{"id", "tonnes", "date"}, []any{"R1", 5, 46053})
		}, `line 2 has date "46053", which is the serial number of a day in a spreadsheet: format the column as dates`},
		"date format": {styled("dd/mm/yyyy"), `2{id=1900-01-07 tonnes=1500000 date=2026-06-13}`},
		"literal in a format": {styled(`0" days"`),
			`line 2 has date "46186", which is the serial number of a day in a spreadsheet: format the column as dates`},
		"padded id": {func(book *excelize.File) {
			fill(book, "Sheet1", []any{"id", "tonnes"}, []any{42, 5})
			style := must.Get(book.NewStyle(&excelize.Style{CustomNumFmt: new("000000")}))
			ok(book.SetCellStyle("Sheet1", "A2", "A2", style))
		}, `2{id=000042 tonnes=5000000}`},
		"rounded id": {func(book *excelize.File) {
			fill(book, "Sheet1", []any{"id", "tonnes"}, []any{1.2345678901234567e17, 5})
		}, `line 2 has id "123456789012346000", which is not an id: a spreadsheet has changed this id`},
		"formula without a result": {func(book *excelize.File) {
			fill(book, "Sheet1", []any{"id", "tonnes"}, []any{"R1", 5})
			ok(book.SetCellFormula("Sheet1", "B2", "SUM(1,2)"))
			ok(book.SetCellValue("Sheet1", "B2", nil))
			ok(book.SetCellFormula("Sheet1", "B2", "SUM(1,2)"))
		}, `line 2 has tonnes "=SUM(1,2)", which cannot be read: the formula has no result; open the workbook in a spreadsheet and save it`},
		"gaps and lines above": {func(book *excelize.File) {
			fill(book, "Sheet1", []any{"Report"}, nil, []any{nil, "id", "tonnes"}, nil, []any{nil, "R1", 5})
		}, `5{id=R1 tonnes=5000000} [1 line above the titles is skipped]`},
		"first visible sheet": {func(book *excelize.File) {
			must.Get(book.NewSheet("Q3"))
			fill(book, "Q3", []any{"id", "tonnes"}, []any{"R1", 5})
			book.SetActiveSheet(1)
			ok(book.SetSheetVisible("Sheet1", false))
		}, `2{id=R1 tonnes=5000000} [sheet "Q3", one of 2]`},
		"rich text": {func(book *excelize.File) {
			fill(book, "Sheet1", []any{"id", "tonnes", "reference"}, []any{"R1", 5})
			ok(book.SetCellRichText("Sheet1", "C2",
				[]excelize.RichTextRun{{Text: "PO "}, {Text: "7", Font: &excelize.Font{Bold: true}}}))
		}, `2{id=R1 tonnes=5000000 reference=PO 7}`},
		"reversal": {func(book *excelize.File) {
			fill(book, "Sheet1", []any{"id", "tonnes"}, []any{"R1", -5})
		}, `2{id=R1 tonnes=-5000000} [1 reversal]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			must.Equal(t, outcome(written(c.change), records()), c.want, name)
		})
	}
}

func TestOwnWorkbooksAreRead(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	book := spreadsheet.Workbook{Sheets: []spreadsheet.Sheet{{
		Name: "Ledger", Columns: []string{"id", "grams", "date", "cost_usd"},
		Rows: [][]spreadsheet.Cell{{spreadsheet.Text("=R_x0041_1"), spreadsheet.Whole("1500000"),
			spreadsheet.Time("2026-01-31T10:00:00Z"), spreadsheet.Cents(620)}},
	}}}
	must.Succeed(t, book.Write(&file))
	must.Equal(t, outcome(file.String(), records()),
		`2{id==R_x0041_1 grams=1500000 date=2026-01-31 cost=620} [cost is "cost_usd"]`)
}

func TestSheetByName(t *testing.T) {
	t.Parallel()
	file := written(func(book *excelize.File) {
		must.Get(book.NewSheet("Q3"))
		fill(book, "Q3", []any{"id", "tonnes"}, []any{"R1", 5})
	})
	table := must.Get(Parse(file, "q3"))
	must.Equal(t, must.Get(table.Records(records())).Count, 1)
	for _, c := range []struct{ text, sheet, want string }{
		{file, "Q4", `it has no sheet "Q4"; the sheets are ["Sheet1" "Q3"]`},
		{"id,tonnes\n", "Q3", `it is not a workbook, and has no sheet "Q3"`},
	} {
		_, err := Parse(c.text, c.sheet)
		must.Hold(t, err != nil && err.Error() == c.want, err, c.want)
	}
}

// archive returns a zip with parts.
func archive(parts map[string]string) string {
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for name, content := range parts {
		part := must.Get(w.Create(name))
		must.Get(part.Write([]byte(content)))
	}
	ok(w.Close())
	return file.String()
}

// A lower limit, such as that of guests, applies to what is unpacked too.
func TestLimitOfUnpackedParts(t *testing.T) {
	t.Parallel()
	file := written(func(book *excelize.File) {
		fill(book, "Sheet1", []any{"id", "tonnes", strings.Repeat("a", 30_000)}, []any{"R1", 5, strings.Repeat("b", 30_000)})
	})
	for limit, want := range map[int64]string{1 << 20: "", 40 << 10: "it is larger than 0 MiB when unpacked"} {
		_, err := Read(strings.NewReader(file), Options{Largest: limit})
		must.Hold(t, (err == nil) == (want == "") && (err == nil || err.Error() == want), limit, err)
	}
	wide := written(func(book *excelize.File) { ok(book.SetCellValue("Sheet1", "XFD1", "x")) })
	_, err := Read(strings.NewReader(wide), Options{Largest: 100 << 10})
	must.Hold(t, err != nil && err.Error() == "its sheet has too many cells", err)
}

func TestDamagedWorkbooks(t *testing.T) {
	t.Parallel()
	const relations = `<Relationships><Relationship Id="a" Target="worksheets/s.xml"/></Relationships>`
	const main = `<workbook xmlns:r="r"><sheets><sheet name="S" r:id="a"/></sheets></workbook>`
	sheet := func(content string) string {
		return archive(map[string]string{"xl/workbook.xml": main, "xl/_rels/workbook.xml.rels": relations,
			"xl/worksheets/s.xml": content})
	}
	for name, c := range map[string]struct{ file, want string }{
		"document": {archive(map[string]string{"word/document.xml": "<a/>"}),
			"it is an archive without a workbook of Excel (.xlsx); save it as .xlsx or CSV"},
		"no sheet": {archive(map[string]string{"xl/workbook.xml": main, "xl/_rels/workbook.xml.rels": relations}),
			"the workbook is damaged: the part xl/worksheets/s.xml is missing"},
		"cut off": {sheet("<worksheet><sheetData><row>"),
			"the workbook is damaged: XML syntax error on line 1: unexpected EOF"},
		"no shared text": {sheet(`<worksheet><row r="1"><c r="A1" t="s"><v>0</v></c></row></worksheet>`),
			"the workbook is damaged: the text of cell A1 is missing"},
		"column 16,385": {sheet(`<worksheet><row r="1"><c r="XFE1"><v>0</v></c></row></worksheet>`),
			"its sheet has too many cells"},
		"too many cells": {sheet("<worksheet>" + strings.Repeat(`<row><c r="XFD1"><v>0</v></c></row>`, 300) + "</worksheet>"),
			"its sheet has too many cells"},
		"much when open": {sheet("<worksheet>" + strings.Repeat(" ", Largest+1) + "</worksheet>"),
			"it is larger than 64 MiB when unpacked"},
		"cut short": {sheet("<worksheet></worksheet>")[:100],
			"it is a damaged workbook or archive: zip: not a valid zip file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse(c.file, "")
			must.Hold(t, err != nil && err.Error() == c.want, name, err, "want", c.want)
		})
	}
}
