package evidence

import (
	"testing"

	"github.com/xuri/excelize/v2"
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
