package evidence

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"tonne/model"
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
	checkRows(t, rows)
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

// What is read back is what was written, whatever the text.
func TestXLSXKeepsEveryText(t *testing.T) {
	t.Parallel()
	texts := []string{
		"plain", "", " a b ", "<&>\"'", "café 東京 🌍", "_x0041_", "__x000D_x", "_x005F_x0041_", "=1+1", "'=1", "0001", "1e5", "#N/A", "TRUE",
		strings.Repeat("a", maxCellUnits), strings.Repeat("é", maxCellUnits),
	}
	row := make(model.EvidenceRow, 60)
	copy(row, texts)
	row[59] = "last"
	var file bytes.Buffer
	if err := writeXLSX(&file, []model.EvidenceRow{row, row}); err != nil {
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

func TestXLSXRefusesWhatExcelWouldCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows []model.EvidenceRow
		want error
	}{
		{make([]model.EvidenceRow, maxSheetRows), ErrSheetFull},
		{[]model.EvidenceRow{{strings.Repeat("a", maxCellUnits+1)}}, ErrCellTooLong},
		{[]model.EvidenceRow{{strings.Repeat("🌍", maxCellUnits/2+1)}}, ErrCellTooLong},
	} {
		if err := writeXLSX(new(bytes.Buffer), c.rows); !errors.Is(err, c.want) {
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
