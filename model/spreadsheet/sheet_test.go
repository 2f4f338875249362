package spreadsheet

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// What is read back is what was written, whatever the text.
func TestXLSXKeepsEveryText(t *testing.T) {
	t.Parallel()
	texts := []string{
		"plain", "", " a b ", "<&>\"'", "café 東京 🌍", "_x0041_", "__x000D_x", "_x005F_x0041_", "=1+1", "'=1", "0001", "1e5", "#N/A", "TRUE",
		strings.Repeat("a", maxCellUnits), strings.Repeat("é", maxCellUnits),
	}
	row := make([]string, 60)
	copy(row, texts)
	row[59] = "last"
	var file bytes.Buffer
	if err := writeXLSX(&file, Sheet{Name: "Evidence", Columns: row, Rows: [][]Cell{Texts(row), Texts(row)}}); err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	rows, err := book.GetRows("Evidence")
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, got := range rows[1:] {
		for i, want := range row {
			if got[i] != want {
				t.Errorf("%.40q is read as %.40q", want, got[i])
			}
		}
	}
	if panes, err := book.GetPanes("Evidence"); err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("the first row is not frozen: %+v, %v", panes, err)
	}
}

func TestJSONHasNumbersAsNumbersAndNothingAsNull(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "market.JSON")
	err := Save(path, Sheet{Name: "Market", Columns: []string{"a \"b\"", "n", "at"}, Totals: []Cell{{}, Sum(Decimal(7, 0)), {}}, Rows: [][]Cell{
		{Text("=1 é\n\xff"), Decimal(-620, 2), Time("2026-11-02T09:14:05Z")}, {Text("0001"), {}, Whole("9007199254740993")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	want := `[
  {"a \"b\"": "=1 é\n\ufffd", "n": -6.2, "at": "2026-11-02T09:14:05Z"},
  {"a \"b\"": "0001", "n": null, "at": "9007199254740993"}
]
`
	if err != nil || string(got) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
	var none bytes.Buffer
	if err := writeJSON(&none, Sheet{}); err != nil || none.String() != "[\n]\n" {
		t.Errorf("%v, %q", err, none.String())
	}
}

func TestXLSXRefusesWhatExcelWouldCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows [][]Cell
		want error
	}{
		{make([][]Cell, maxSheetRows), ErrSheetFull},
		{[][]Cell{{Text(strings.Repeat("a", maxCellUnits+1))}}, ErrCellTooLong},
		{[][]Cell{{Text(strings.Repeat("🌍", maxCellUnits/2+1))}}, ErrCellTooLong},
	} {
		if err := writeXLSX(new(bytes.Buffer), Sheet{Rows: c.rows}); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
	}
}

func TestColumnNames(t *testing.T) {
	t.Parallel()
	for c, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA"} {
		if got := columnName(c); got != want {
			t.Errorf("column %d is %s, want %s", c, got, want)
		}
	}
}

func TestDecimalsLoseNoDigit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value  int64
		digits int
		want   string
	}{
		{620, 2, "6.2"}, {5, 2, "0.05"}, {-5, 2, "-0.05"}, {0, 2, "0"}, {999_980, 6, "0.99998"}, {12_000_000, 6, "12"}, {7, 0, "7"},
		{math.MinInt64, 2, "-92233720368547758.08"}, {math.MaxInt64, 6, "9223372036854.775807"},
	} {
		if got := Decimal(c.value, c.digits); got.text != c.want || !got.number {
			t.Errorf("%d with %d digits is %q, want %q", c.value, c.digits, got.text, c.want)
		}
	}
}

// goods is a sheet with all that a program could misread.
var goods = Sheet{Name: "Market", Columns: []string{"name", "id", "change", "price"}, Rows: [][]Cell{
	{Text("=HYPERLINK(1)"), Text("00123"), Decimal(-150, 2), Decimal(620, 2)},
	{Text("+1"), Text("1e5"), {}, Decimal(1234567, 2)},
	{Text("@x"), Text("-7"), {}, {}},
}}

func TestNumbersAreNumbersAndTextIsNeverAFormula(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Save(filepath.Join(dir, "a.csv"), goods); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "a.csv"))
	if want := "name,id,change,price\n'=HYPERLINK(1),00123,-1.5,6.2\n'+1,1e5,,12345.67\n'@x,'-7,,\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
	if err := Save(filepath.Join(dir, "a.XLSX"), goods); err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenFile(filepath.Join(dir, "a.XLSX"))
	if err != nil {
		t.Fatal(err)
	}
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

func TestAFileOfAPartSaysSoInEveryRow(t *testing.T) {
	t.Parallel()
	sheet := Sheet{Name: "Market", Columns: []string{"a"}, Rows: [][]Cell{{Text("x")}, {Text("y")}}, Totals: []Cell{{}}, Part: true}
	for ending, want := range map[string]string{
		".csv": "a,incomplete\nx,yes\ny,yes\n", ".json": "[\n  {\"a\": \"x\", \"incomplete\": \"yes\"},\n  {\"a\": \"y\", \"incomplete\": \"yes\"}\n]\n",
	} {
		path := filepath.Join(t.TempDir(), "part"+ending)
		if err := Save(path, sheet); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s", ending, err, got)
		}
	}
	path := filepath.Join(t.TempDir(), "part.xlsx")
	if err := Save(path, sheet); err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.GetRows("Market")
	if err := errors.Join(err, book.Close()); err != nil || len(rows) < 3 || rows[0][1] != "incomplete" || rows[1][1] != "yes" || rows[2][1] != "yes" {
		t.Errorf("%v, %v", rows, err)
	}
	if len(sheet.Columns) != 1 || len(sheet.Rows[0]) != 1 {
		t.Error("the sheet of the caller has changed")
	}
}

func TestNoFileIsReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Save(path, goods); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the error is %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "mine" {
		t.Errorf("the file holds %q", text)
	}
	if err := Save(strings.TrimSuffix(path, ".csv")+".txt", goods); err == nil {
		t.Error("a name without a format is taken")
	}
}
