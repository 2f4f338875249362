package exchange

import (
	"fmt"

	"tonne/model"
)

// LineFault is an error in a line of an operator's file.
type LineFault struct {
	// Line counts from 1; 0 means the whole file.
	Line int
	// Why is the rest of a sentence that begins with "line N".
	Why string
}

// maxFaults is the maximum number of faults of a file that are stored.
const maxFaults = 1000

// FileError lists the errors in a file. Nothing of such a file is imported.
type FileError struct {
	// Faults are the first 1,000 errors.
	Faults []LineFault
	// More is the number of further errors.
	More int
}

// Error returns the first fault.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s wrong, the first: line %d %s", model.Count(len(e.Faults)+e.More, "line is", "lines are"),
		e.Faults[0].Line, e.Faults[0].Why)
}

// Add adds an error in a line.
func (e *FileError) Add(line int, format string, args ...any) {
	if len(e.Faults) == maxFaults {
		e.More++
		return
	}
	e.Faults = append(e.Faults, LineFault{line, fmt.Sprintf(format, args...)})
}

// Join adds the faults of another error.
func (e *FileError) Join(other *FileError) {
	for _, fault := range other.Faults {
		e.Add(fault.Line, "%s", fault.Why)
	}
}

// Err returns e, or nil if it has no faults.
func (e *FileError) Err() error {
	if len(e.Faults) == 0 {
		return nil
	}
	return e
}

// Counts counts the objects that an import added, changed and left unchanged.
type Counts struct{ Added, Changed, Unchanged int }

func (n *Counts) count(added, changed bool) {
	switch {
	case added:
		n.Added++
	case changed:
		n.Changed++
	default:
		n.Unchanged++
	}
}
