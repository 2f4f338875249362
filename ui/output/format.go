// Package output describes data by columns and writes it: tables for people, JSON, JSON
// lines and CSV for programs, and sheets. Numbers are exact in every format.
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
