// Package intake reads the files of an operator: a catalogue as a table or JSON, and sell orders
// as a table. Its errors name every wrong line. It can also write a catalogue as CSV. It does not
// change the database: package exchange imports what it returns. Start reading at
// ReadCatalogue and Orders.
package intake

import (
	"errors"
	"strings"

	"tonne/api/marketplace/exchange"
	"tonne/model/file/tabular"
)

const (
	// MaxFile is the maximum size of a catalogue, in bytes.
	MaxFile = 32 << 20
	// MaxLines is the maximum number of lines or objects of a catalogue.
	MaxLines = 20_000
)

type faults struct{ exchange.FileError }

// addTable adds the faults of a table.
func (f *faults) addTable(of *tabular.FaultsError) {
	for _, fault := range of.Faults {
		f.Add(fault.Line, "%s", fault.Why)
	}
	f.More += of.More
}

// ErrNotJSON is the error of ReadProjects for text that is not JSON.
var ErrNotJSON = errors.New("it is not a JSON object")

// ReadProjects reads a catalogue from the JSON of GET /api/projects (interface section 4.4). The
// error is ErrNotJSON or an *exchange.FileError.
func ReadProjects(text string) ([]exchange.CatalogueProject, error) {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		return nil, ErrNotJSON
	}
	var f faults
	projects := readProjects([]byte(text), &f)
	f.catalogue(projects)
	return projects, f.Err()
}

// formula are the first characters of cells that a spreadsheet would execute.
const formula = "=+-@\t\r"

// guarded escapes a cell that a spreadsheet would execute, so that the reader restores it.
func guarded(cell string) string {
	if rest := strings.TrimLeft(cell, "'"); rest != "" && strings.IndexByte(formula, rest[0]) >= 0 {
		return "'" + cell
	}
	return cell
}
