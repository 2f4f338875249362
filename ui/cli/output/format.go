// Package output writes data to standard output: tables for people, JSON, JSON
// lines and CSV for programs. Numbers are exact in every format.
package output

import (
	"fmt"
	"slices"
	"strings"
)

// Format is a form of output.
type Format string

// The formats.
const (
	Table Format = "table"
	JSON  Format = "json"
	JSONL Format = "jsonl"
	CSV   Format = "csv"
)

// Formats returns the formats in the order in which help names them.
func Formats() []string { return []string{string(Table), string(JSON), string(JSONL), string(CSV)} }

// String returns the name of the format.
func (f *Format) String() string { return string(*f) }

// Type names the kind of value in help texts.
func (f *Format) Type() string { return strings.Join(Formats(), "|") }

// Set reads the name of a format.
func (f *Format) Set(s string) error {
	if !slices.Contains(Formats(), s) {
		return fmt.Errorf("permitted: %s", strings.Join(Formats(), ", "))
	}
	*f = Format(s)
	return nil
}
