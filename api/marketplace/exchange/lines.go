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

// FileError is everything that is wrong with a file; nothing of it was taken
// in.
type FileError struct{ Faults []LineFault }

// Error names the first fault.
func (e *FileError) Error() string {
	return fmt.Sprintf("%s wrong, the first: line %d %s", model.Count(len(e.Faults), "line is", "lines are"), e.Faults[0].Line, e.Faults[0].Why)
}

// LineFaults collects what is wrong with a file.
type LineFaults struct{ all []LineFault }

// Add says what is wrong with a line.
func (f *LineFaults) Add(line int, format string, args ...any) {
	f.all = append(f.all, LineFault{line, fmt.Sprintf(format, args...)})
}

// Err is a *FileError with everything that was added, or nil.
func (f *LineFaults) Err() error {
	if len(f.all) == 0 {
		return nil
	}
	return &FileError{f.all}
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
