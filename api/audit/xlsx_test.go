package audit

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"tonne/model"
	"tonne/model/retirement"
)

func TestXLSXCellsAreText(t *testing.T) {
	t.Parallel()
	book, err := excelize.OpenFile(write(t, "e.xlsx", false))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	rows, err := book.GetRows("Evidence")
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i] = append(rows[i], make([]string, len(rows[0])-len(rows[i]))...)
	}
	last := len(rows) - 1
	if rows[last][0] != "Total" {
		t.Errorf("the last row is %q", rows[last])
	}
	checkRows(t, rows[:last])
	for cell, name := range map[string]string{"A2": "id", "D2": "formula"} {
		kind, err := book.GetCellType("Evidence", cell)
		if err != nil || kind != excelize.CellTypeInlineString && kind != excelize.CellTypeSharedString {
			t.Errorf("the %s is of type %v, %v", name, kind, err)
		}
		if formula, _ := book.GetCellFormula("Evidence", cell); formula != "" {
			t.Errorf("the %s is the formula %q", name, formula)
		}
	}
}

// opened reads the workbook of evidence with an independent library.
func opened(t *testing.T, sources []Request) *excelize.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "e.xlsx")
	if err := Write(path, Source{CreatedAt: time.Unix(0, 0)}, sources); err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	return book
}

// An independent library must compute the same totals.
func TestWorkbookTotalsMatchAnotherLibrary(t *testing.T) {
	t.Parallel()
	sources := retirements()
	sources[0].Retirement.CreatedAt = model.ParseTimestamp("2026-02-08T13:46:00+01:00")
	sources[0].Retirement.RetiredAt = model.ParseTimestamp("soon")
	sources = append(sources, Request{Retirement: retirement.Request{ID: "lost"}, LeftOut: "not found"})
	book := opened(t, sources)
	if got := strings.Join(book.GetSheetList(), ", "); got != "Evidence, Checks, Left out" {
		t.Errorf("the sheets are %s", got)
	}
	at := func(name string, row int) string {
		cell, err := excelize.CoordinatesToCellName(columnOf(t, namesOf(columns), name)+1, row)
		if err != nil {
			t.Fatal(err)
		}
		return cell
	}
	const rows = 3
	for name, want := range map[string]float64{"total_quantity_grams": 3_000_020, "serial_tonnes": 3} {
		var sum float64
		for row := 2; row < 2+rows; row++ {
			value, _ := book.GetCellValue("Evidence", at(name, row), excelize.Options{RawCellValue: true})
			if kind, _ := book.GetCellType("Evidence", at(name, row)); value != "" && kind != excelize.CellTypeUnset && kind != excelize.CellTypeNumber {
				t.Errorf("%s of row %d is of type %v", name, row, kind)
			}
			n, _ := strconv.ParseFloat(value, 64)
			sum += n
		}
		total := at(name, 2+rows)
		value, _ := book.GetCellValue("Evidence", total, excelize.Options{RawCellValue: true})
		worked, err := book.CalcCellValue("Evidence", total, excelize.Options{RawCellValue: true})
		if sum != want || value != worked || value != strconv.FormatFloat(want, 'f', -1, 64) {
			t.Errorf("the sum of %s is %v; the total is %s, recalculated %s (%v)", name, sum, value, worked, err)
		}
	}
	if got, _ := book.GetCellValue("Evidence", at("created_at", 2)); got != "2026-02-08 12:46:00" {
		t.Errorf("the date is shown as %q", got)
	}
	if got, _ := book.GetCellValue("Evidence", at("retired_at", 2)); got != "soon" {
		t.Errorf("a value that is not a date is shown as %q", got)
	}
	if kind, _ := book.GetCellType("Evidence", at("serial_start", 2)); kind != excelize.CellTypeInlineString {
		t.Errorf("a number of a serial is of type %v", kind)
	}
	if width, err := book.GetColWidth("Evidence", "A"); err != nil || width < 20 {
		t.Errorf("the ids are %v wide (%v)", width, err)
	}
	filters := 0
	for _, name := range book.GetDefinedName() {
		if name.Name == "_xlnm._FilterDatabase" {
			filters++
		}
	}
	if filters != 3 {
		t.Errorf("%d sheets can be filtered", filters)
	}
	checks, err := book.GetRows("Checks")
	if err != nil || len(checks) != 1+2*8 || checks[1][1] != retirement.ItemsSumToTotal {
		t.Errorf("%d checks (%v)", len(checks), err)
	}
	left, err := book.GetRows("Left out")
	if err != nil || len(left) != 2 || left[1][0] != "lost" || left[1][1] != "not found" {
		t.Errorf("left out are %q (%v)", left, err)
	}
}

func TestTotalNamesCreditsCountedTwice(t *testing.T) {
	t.Parallel()
	sources := retirements()
	for _, serial := range []string{"", "ACR-FR-1129-2025-2917-3 to 9"} {
		want := ""
		if serial != "" {
			sources[1].Retirement.SerialNumbers = []string{serial}
			want = "the total of serial_tonnes counts credits twice that are in several rows: ACR 3 to 3"
		}
		book := opened(t, sources)
		name, err := excelize.CoordinatesToCellName(slices.Index(namesOf(columns), "doubts")+1, 5)
		if got, _ := book.GetCellValue("Evidence", name); err != nil || got != want {
			t.Errorf("%q (%v), want %q", got, err, want)
		}
	}
}
