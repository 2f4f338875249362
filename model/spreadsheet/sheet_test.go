package spreadsheet

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"tonne/model/must"

	"github.com/xuri/excelize/v2"
)

func workbook(sheet Sheet) Workbook { return Workbook{Sheets: []Sheet{sheet}} }

// Any text must be read back unchanged.
func TestXLSXKeepsEveryText(t *testing.T) {
	texts := []string{
		"plain", "", " a b ", "<&>\"'", "café 東京 🌍", "_x0041_", "__x000D_x", "_x005F_x0041_", "=1+1", "'=1", "0001", "1e5", "#N/A", "TRUE",
		strings.Repeat("a", maxCellUnits), strings.Repeat("é", maxCellUnits),
	}
	row := make([]string, 60)
	copy(row, texts)
	row[59] = "last"
	var file bytes.Buffer
	must.Succeed(t, workbook(Sheet{Name: "Evidence", Columns: row, Rows: [][]Cell{Texts(row), Texts(row)}}).Write(&file))
	book := must.Get(excelize.OpenReader(&file))
	defer book.Close()
	rows, err := book.GetRows("Evidence")
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, got := range rows[1:] {
		for i, want := range row {
			must.Equal(t, got[i], want)
		}
	}
	if panes, err := book.GetPanes("Evidence"); err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("the first row is not frozen: %+v, %v", panes, err)
	}
}

func TestXLSXRefusesWhatExcelWouldCut(t *testing.T) {
	for _, c := range []struct {
		rows [][]Cell
		want error
	}{
		{make([][]Cell, maxSheetRows), ErrSheetFull},
		{[][]Cell{{Text(strings.Repeat("a", maxCellUnits+1))}}, ErrCellTooLong},
		{[][]Cell{{Text(strings.Repeat("🌍", maxCellUnits/2+1))}}, ErrCellTooLong},
	} {
		must.Fail(t, workbook(Sheet{Rows: c.rows}).Write(new(bytes.Buffer)), c.want)
	}
}

func TestColumnNames(t *testing.T) {
	for c, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		must.Equal(t, columnName(c), want, c)
	}
}

func TestAmountsLoseNoDigit(t *testing.T) {
	for cents, want := range map[int64]string{
		620: "6.2", 5: "0.05", -5: "-0.05", 0: "0", 1200: "12", 10000: "100", math.MinInt64: "-92233720368547758.08", math.MaxInt64: "92233720368547758.07",
	} {
		if got := Cents(cents); got.text != want || !got.number {
			t.Errorf("%d cents are %q, want %q", cents, got.text, want)
		}
	}
}

// goods is a sheet with all that a program could misread.
var goods = Sheet{Name: "Market", Columns: []string{"name", "id", "change", "price"}, Rows: [][]Cell{
	{Text("=HYPERLINK(1)"), Text("00123"), Cents(-150), Cents(620)},
	{Text("+1"), Text("1e5"), {}, Cents(1234567)},
	{Text("@x"), Text("-7"), {}, {}},
}}

func TestNumbersAreNumbersAndTextIsNeverAFormula(t *testing.T) {
	var text, file bytes.Buffer
	must.Succeed(t, errors.Join(WriteCSV(&text, goods), workbook(goods).Write(&file)))
	must.Equal(t, text.String(), "name,id,change,price\n'=HYPERLINK(1),00123,-1.5,6.2\n'+1,1e5,,12345.67\n'@x,'-7,,\n")
	book := must.Get(excelize.OpenReader(&file))
	defer book.Close()
	for cell, want := range map[string]struct {
		value string
		kind  excelize.CellType
	}{
		"A2": {"=HYPERLINK(1)", excelize.CellTypeInlineString}, "B2": {"00123", excelize.CellTypeInlineString},
		"C2": {"-1.5", excelize.CellTypeUnset}, "D2": {"6.2", excelize.CellTypeUnset}, "D3": {"12345.67", excelize.CellTypeUnset},
		"A4": {"@x", excelize.CellTypeInlineString},
	} {
		value, _ := book.GetCellValue("Market", cell)
		kind, _ := book.GetCellType("Market", cell)
		if formula, _ := book.GetCellFormula("Market", cell); value != want.value || kind != want.kind || formula != "" {
			t.Errorf("%s is %q of type %v, formula %q", cell, value, kind, formula)
		}
	}
}

func TestTimesAndNumbersAreThatWhereASpreadsheetKnowsThem(t *testing.T) {
	sheet := Sheet{Name: "Facts", Columns: []string{"value"}, Rows: [][]Cell{
		{Time("2026-02-08T12:46:00+01:00")}, {Time("1900-03-01T00:00:00Z")}, {Time("9999-12-31T23:59:59.999Z")}, {Time("1899-12-31T00:00:00Z")}, {Time("soon")}, {Time("")},
		{Whole("999999999999999")}, {Whole("9223372036854775807")}, {Whole("1e5")}, {Whole("")}, {Sum(Whole("7"))},
	}}
	var file bytes.Buffer
	must.Succeed(t, workbook(sheet).Write(&file))
	book := must.Get(excelize.OpenReader(&file))
	defer book.Close()
	for cell, want := range map[string]struct {
		value string
		kind  excelize.CellType
	}{
		"A2": {"2026-02-08 11:46:00", excelize.CellTypeUnset}, "A3": {"1900-03-01 00:00:00", excelize.CellTypeUnset},
		"A4": {"9999-12-31 23:59:59", excelize.CellTypeUnset}, "A5": {"1899-12-31T00:00:00Z", excelize.CellTypeInlineString},
		"A6": {"soon", excelize.CellTypeInlineString}, "A8": {"999999999999999", excelize.CellTypeUnset},
		"A9": {"9223372036854775807", excelize.CellTypeInlineString}, "A10": {"1e5", excelize.CellTypeInlineString},
		"A12": {"7", excelize.CellTypeUnset},
	} {
		value, _ := book.GetCellValue("Facts", cell)
		if kind, _ := book.GetCellType("Facts", cell); value != want.value || kind != want.kind && kind != excelize.CellTypeFormula {
			t.Errorf("%s is %q of type %v, want %q of type %v", cell, value, kind, want.value, want.kind)
		}
	}
	if formula, _ := book.GetCellFormula("Facts", "A12"); formula != "SUBTOTAL(109,A2:A11)" {
		t.Errorf("the sum is %q", formula)
	}
}

func TestAPlainWorkbookIsNotCompressed(t *testing.T) {
	sheets := []Sheet{goods, {Name: "Second", Columns: []string{"a"}}}
	var plain, packed bytes.Buffer
	must.Succeed(t, errors.Join(Workbook{Sheets: sheets, Plain: true}.Write(&plain), Workbook{Sheets: sheets}.Write(&packed)))
	if !bytes.Contains(plain.Bytes(), []byte("=HYPERLINK(1)")) || bytes.Contains(packed.Bytes(), []byte("=HYPERLINK(1)")) {
		t.Errorf("plain are %d bytes, packed %d", plain.Len(), packed.Len())
	}
	book := must.Get(excelize.OpenReader(&plain))
	defer book.Close()
	if got := book.GetSheetList(); len(got) != 2 || got[1] != "Second" {
		t.Errorf("the sheets are %q", got)
	}
}

func TestCSVHasNoTotals(t *testing.T) {
	sheet := Sheet{Columns: []string{"a", "at"}, Rows: [][]Cell{{Whole("1"), Time("2026-02-08T12:46:00Z")}}, Totals: []Cell{Sum(Whole("1")), {}}}
	var out bytes.Buffer
	if err := WriteCSV(&out, sheet); err != nil || out.String() != "a,at\n1,2026-02-08T12:46:00Z\n" {
		t.Errorf("%q (%v)", out.String(), err)
	}
}
