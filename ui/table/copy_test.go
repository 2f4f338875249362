package table

import (
	"testing"

	must "tonne/model/musttest"
)

func TestCellsAreCopiedWithoutSymbolsAndNumbersWithoutFormatting(t *testing.T) {
	t.Parallel()
	must.Table(t, "testdata/unmarked.txt", unmarked)
	must.Table(t, "testdata/bare.txt", bare)
}
