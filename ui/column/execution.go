package column

import (
	"path/filepath"
	"slices"
	"strings"

	"tonne/api/audit"
	"tonne/model/execution"
	"tonne/model/file/spreadsheet"
	"tonne/ui/output"
)

// ExecutionOf is what a comparison of purchases is of. From and To are zero without a limit.
type ExecutionOf = audit.ExecutionOf

// EncodeExecution returns a file with compared purchases in the format of the extension of its path: that of
// a table, or .pdf.
func EncodeExecution(path string, of ExecutionOf, rows []execution.Row) ([]byte, error) {
	if strings.EqualFold(filepath.Ext(path), ".pdf") {
		return audit.ExecutionPDF(of, rows)
	}
	return output.Encode(path, execution.Columns, slices.Values(rows), spreadsheet.Sheet{Name: "Purchases"})
}
