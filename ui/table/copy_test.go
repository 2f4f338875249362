package table

import (
	"testing"

	"tonne/model/texttest"
)

func TestCellsAreCopiedWithoutSymbolsAndNumbersWithoutFormatting(t *testing.T) {
	t.Parallel()
	texttest.Table(t, "unmarked", unmarked)
	texttest.Table(t, "bare", bare)
}
