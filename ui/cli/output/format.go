// Package output writes data to standard output: tables for people, JSON, JSON
// lines and CSV for programs. Numbers are exact in every format.
package output

// Format is a form of output.
type Format string

// The formats.
const (
	Table Format = "table"
	JSON  Format = "json"
	JSONL Format = "jsonl"
	CSV   Format = "csv"
)
