package spreadsheet_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"tonne/model/file/spreadsheet"
	must "tonne/model/musttest"
)

// largestCell is how much text Excel takes in a cell.
const largestCell = 32767

func workbook(sheet spreadsheet.Sheet) spreadsheet.Workbook {
	return spreadsheet.Workbook{Sheets: []spreadsheet.Sheet{sheet}}
}

// Any text must be read back unchanged.
func TestXLSXKeepsEveryText(t *testing.T) {
	texts := []string{
		"plain", "", " a b ", "<&>\"'", "café 東京 🌍", "_x0041_", "__x000D_x", "_x005F_x0041_", "=1+1", "'=1", "0001", "1e5",
		"#N/A", "TRUE",
		strings.Repeat("a", largestCell), strings.Repeat("é", largestCell),
	}
	row := make([]string, 703) // up to the column AAA
	copy(row, texts)
	row[702] = "last"
	var file bytes.Buffer
	must.Succeed(t,
		workbook(spreadsheet.Sheet{Name: "Evidence", Columns: row,
			Rows: [][]spreadsheet.Cell{spreadsheet.Texts(row), spreadsheet.Texts(row)}}).Write(&file))
	book := must.Get(excelize.OpenReader(&file))
	defer book.Close()
	rows, err := book.GetRows("Evidence")
	must.Need(t, err == nil && len(rows) == 3, len(rows), err)
	for _, got := range rows[1:] {
		for i, want := range row {
			must.Equal(t, got[i], want)
		}
	}
	panes := must.Get(book.GetPanes("Evidence"))
	must.Hold(t, panes.Freeze && panes.YSplit == 1, "the first row is not frozen", panes)
}

func TestXLSXRefusesWhatExcelWouldCut(t *testing.T) {
	for _, c := range []struct {
		rows [][]spreadsheet.Cell
		want error
	}{
		{make([][]spreadsheet.Cell, 1<<20), spreadsheet.ErrSheetFull},
		{[][]spreadsheet.Cell{{spreadsheet.Text(strings.Repeat("a", largestCell+1))}}, spreadsheet.ErrCellTooLong},
		{[][]spreadsheet.Cell{{spreadsheet.Text(strings.Repeat("🌍", largestCell/2+1))}}, spreadsheet.ErrCellTooLong},
	} {
		must.Fail(t, workbook(spreadsheet.Sheet{Rows: c.rows}).Write(new(bytes.Buffer)), c.want)
	}
}

func TestAmountsLoseNoDigit(t *testing.T) {
	for cents, want := range map[int64]string{
		620: "6.2", 5: "0.05", -5: "-0.05", 0: "0", 1200: "12", 10000: "100", math.MinInt64: "-92233720368547758.08",
		math.MaxInt64: "92233720368547758.07",
	} {
		var text bytes.Buffer
		must.Succeed(t,
			spreadsheet.WriteCSV(&text,
				spreadsheet.Sheet{Columns: []string{"a"}, Rows: [][]spreadsheet.Cell{{spreadsheet.Cents(cents)}}}))
		must.Equal(t, text.String(), "a\n"+want+"\n", cents)
	}
}

// goods is a sheet with all that a program could misread.
var goods = spreadsheet.Sheet{Name: "Market", Columns: []string{"name", "id", "change", "price"},
	Rows: [][]spreadsheet.Cell{
		{spreadsheet.Text("=HYPERLINK(1)"), spreadsheet.Text("00123"), spreadsheet.Cents(-150), spreadsheet.Cents(620)},
		{spreadsheet.Text("+1"), spreadsheet.Text("1e5"), {}, spreadsheet.Cents(1234567)},
		{spreadsheet.Text("@x"), spreadsheet.Text("-7"), {}, {}},
	}}

func TestNumbersAreNumbersAndTextIsNeverAFormula(t *testing.T) {
	var text, file bytes.Buffer
	must.Succeed(t, spreadsheet.WriteCSV(&text, goods), workbook(goods).Write(&file))
	must.Equal(t, text.String(), "name,id,change,price\n'=HYPERLINK(1),00123,-1.5,6.2\n'+1,1e5,,12345.67\n'@x,'-7,,\n")
	book := must.Get(excelize.OpenReader(&file))
	defer book.Close()
	for cell, want := range map[string]struct {
		value string
		kind  excelize.CellType
	}{
		"A2": {"=HYPERLINK(1)", excelize.CellTypeInlineString}, "B2": {"00123", excelize.CellTypeInlineString},
		"C2": {"-1.5", excelize.CellTypeUnset}, "D2": {"6.2", excelize.CellTypeUnset},
		"D3": {"12345.67", excelize.CellTypeUnset},
		"A4": {"@x", excelize.CellTypeInlineString},
	} {
		value, _ := book.GetCellValue("Market", cell)
		kind, _ := book.GetCellType("Market", cell)
		formula, _ := book.GetCellFormula("Market", cell)
		must.Hold(t, value == want.value && kind == want.kind && formula == "", cell, value, kind, formula)
	}
}

func TestTimesAndNumbersAreThatWhereASpreadsheetKnowsThem(t *testing.T) {
	sheet := spreadsheet.Sheet{Name: "Facts", Columns: []string{"value"}, Rows: [][]spreadsheet.Cell{
		{spreadsheet.Time("2026-02-08T12:46:00+01:00")}, {spreadsheet.Time("1900-03-01T00:00:00Z")},
		{spreadsheet.Time("9999-12-31T23:59:59.999Z")}, {spreadsheet.Time("1899-12-31T00:00:00Z")},
		{spreadsheet.Time("soon")}, {spreadsheet.Time("")},
		{spreadsheet.Whole("999999999999999")}, {spreadsheet.Whole("9223372036854775807")}, {spreadsheet.Whole("1e5")},
		{spreadsheet.Whole("")}, {spreadsheet.Sum(spreadsheet.Whole("7"))},
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
		if kind, _ := book.GetCellType("Facts", cell); value != want.value ||
			kind != want.kind && kind != excelize.CellTypeFormula {
			t.Errorf("%s is %q of type %v, want %q of type %v", cell, value, kind, want.value, want.kind)
		}
	}
	formula, _ := book.GetCellFormula("Facts", "A12")
	must.Hold(t, formula == "SUBTOTAL(109,A2:A11)", "the sum is", formula)
}

func TestAPlainWorkbookIsNotCompressed(t *testing.T) {
	sheets := []spreadsheet.Sheet{goods, {Name: "Second", Columns: []string{"a"}}}
	var plain, packed bytes.Buffer
	must.Succeed(t, spreadsheet.Workbook{Sheets: sheets, Plain: true}.Write(&plain),
		spreadsheet.Workbook{Sheets: sheets}.Write(&packed))
	if !bytes.Contains(plain.Bytes(), []byte("=HYPERLINK(1)")) || bytes.Contains(packed.Bytes(), []byte("=HYPERLINK(1)")) {
		t.Errorf("plain are %d bytes, packed %d", plain.Len(), packed.Len())
	}
	book := must.Get(excelize.OpenReader(&plain))
	defer book.Close()
	got := book.GetSheetList()
	must.Hold(t, len(got) == 2 && got[1] == "Second", "the sheets are", got)
}

func TestCSVHasNoTotals(t *testing.T) {
	sheet := spreadsheet.Sheet{Columns: []string{"a", "at"},
		Rows:   [][]spreadsheet.Cell{{spreadsheet.Whole("1"), spreadsheet.Time("2026-02-08T12:46:00Z")}},
		Totals: []spreadsheet.Cell{spreadsheet.Sum(spreadsheet.Whole("1")), {}}}
	var out bytes.Buffer
	err := spreadsheet.WriteCSV(&out, sheet)
	must.Hold(t, err == nil && out.String() == "a,at\n1,2026-02-08T12:46:00Z\n", out.String(), err)
}
