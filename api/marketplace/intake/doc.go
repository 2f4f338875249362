// Package intake reads what an operator brings: a catalogue of projects and
// vintages as CSV or JSON, and sell orders as CSV. A file is read as a whole
// and every wrong line is named; it writes a catalogue as CSV that it reads
// back to the same.
package intake
