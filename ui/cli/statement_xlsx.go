package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"tonne/api/audit"
	"tonne/model"
	"tonne/ui/retirement/statement"
)

// checkXLSX refuses a workbook that could not be written, before anything is
// asked of the service.
func (r *statementRun) checkXLSX() error {
	if r.xlsx == "" {
		return nil
	}
	if !strings.HasSuffix(strings.ToLower(r.xlsx), ".xlsx") {
		return usage("name a file that ends in .xlsx", "--xlsx: %q does not end in .xlsx", r.xlsx)
	}
	if _, err := os.Lstat(r.xlsx); !errors.Is(err, fs.ErrNotExist) {
		return failed("move the file away, or name another", "%s is there already", r.xlsx)
	}
	return audit.CheckPlace(r.xlsx)
}

// writeXLSX writes the statement as a workbook that adds up.
func (r *statementRun) writeXLSX(s model.Statement) error {
	if r.xlsx == "" {
		return nil
	}
	of := model.StatementSource{From: r.begin, To: r.end, By: model.Grouping(r.by)}
	if err := statement.Book(of, s).Save(r.xlsx); err != nil {
		return fmt.Errorf("the statement was not written: %w", err)
	}
	return nil
}
