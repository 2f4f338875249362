package spreadsheet

import (
	"bytes"
	"errors"
	"testing"

	"github.com/xuri/excelize/v2"
)

func TestTimesAndNumbersAreThatWhereASpreadsheetKnowsThem(t *testing.T) {
	t.Parallel()
	sheet := Sheet{Name: "Facts", Columns: []string{"value"}, Rows: [][]Cell{
		{Time("2026-02-08T12:46:00+01:00")}, {Time("1900-03-01T00:00:00Z")}, {Time("9999-12-31T23:59:59.999Z")}, {Time("1899-12-31T00:00:00Z")}, {Time("soon")}, {Time("")},
		{Whole("999999999999999")}, {Whole("9223372036854775807")}, {Whole("1e5")}, {Whole("")}, {Sum(Whole("7"))},
	}}
	var file bytes.Buffer
	if err := workbook(sheet).Write(&file); err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(&file)
	if err != nil {
		t.Fatal(err)
	}
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
	t.Parallel()
	sheets := []Sheet{goods, {Name: "Second", Columns: []string{"a"}}}
	var plain, packed bytes.Buffer
	if err := errors.Join(Workbook{Sheets: sheets, Plain: true}.Write(&plain), Workbook{Sheets: sheets}.Write(&packed)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(plain.Bytes(), []byte("=HYPERLINK(1)")) || bytes.Contains(packed.Bytes(), []byte("=HYPERLINK(1)")) {
		t.Errorf("plain are %d bytes, packed %d", plain.Len(), packed.Len())
	}
	book, err := excelize.OpenReader(&plain)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	if got := book.GetSheetList(); len(got) != 2 || got[1] != "Second" {
		t.Errorf("the sheets are %q", got)
	}
}

func TestCSVHasNoTotals(t *testing.T) {
	t.Parallel()
	sheet := Sheet{Columns: []string{"a", "at"}, Rows: [][]Cell{{Whole("1"), Time("2026-02-08T12:46:00Z")}}, Totals: []Cell{Sum(Whole("1")), {}}}
	var out bytes.Buffer
	if err := WriteCSV(&out, sheet); err != nil || out.String() != "a,at\n1,2026-02-08T12:46:00Z\n" {
		t.Errorf("%q (%v)", out.String(), err)
	}
}
