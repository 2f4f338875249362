package exchange

import (
	"fmt"

	"tonne/model"
)

// LineFault is what is wrong with a line of a file that an operator brings.
type LineFault struct {
	// Line counts from 1; 0 is the file as a whole.
	Line int
	// Why is the end of a sentence that begins with the line.
	Why string
}

// maxFaults is how many faults of a file are kept.
const maxFaults = 1000

// FileError collects what is wrong with a file, of which nothing is taken in then.
type FileError struct {
	// Faults are the first ones.
	Faults []LineFault
	// More is the number of the others.
	More int
}

// Error names the first fault.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s wrong, the first: line %d %s", model.Count(len(e.Faults)+e.More, "line is", "lines are"), e.Faults[0].Line, e.Faults[0].Why)
}

// Add says what is wrong with a line.
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

// Err is the error, or nil if nothing was added.
func (e *FileError) Err() error {
	if len(e.Faults) == 0 {
		return nil
	}
	return e
}

// Counts says what the lines of a file did.
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
