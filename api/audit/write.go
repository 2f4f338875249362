// Package audit creates and verifies audit evidence of retirements. An Auditor looks up
// requests, reads the records of this machine (Records, Ledger), checks the requests
// (Examine) and writes evidence files or packs. A pack is a zip file with evidence,
// certificates, API responses and a hash of each file. CloseMonth sums up a month, and
// VerifyPack checks a pack offline. The package prints nothing; callers show the results.
package audit

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tonne/model/atomicfile"
	"tonne/model/spreadsheet"
)

// formats are the extensions of evidence files.
var formats = []string{".csv", ".json", ".xlsx"}

// CheckPath returns an error if the extension of path is not a format.
func CheckPath(path string) error {
	if !slices.Contains(formats, ending(path)) {
		return fmt.Errorf("%q does not end in %s", path, strings.Join(formats, ", "))
	}
	return nil
}

// CheckPlace returns an error if no file can be written to path. It changes nothing there.
func CheckPlace(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tonne-*")
	if err != nil {
		return atomicfile.Named(path, err)
	}
	_ = f.Close()
	return os.Remove(f.Name())
}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

// ManifestPath returns the path of the manifest of an evidence file.
func ManifestPath(path string) string { return path + ".manifest.json" }

// Source identifies the origin of evidence.
type Source struct {
	CreatedAt time.Time
	// Service is the base URL, Version the version of the program.
	Service, Version string
	ShowTaxIDs       bool
}

// evidence is a table of requests that can be written in each format.
type evidence struct {
	from     Source
	requests []Request
	rows     [][]string
}

func newEvidence(from Source, requests []Request) evidence {
	e := evidence{from: from, requests: requests}
	lacks := lacksOf(requests)
	for _, r := range requests {
		e.rows = append(e.rows, rowsOf(r, lacks, from.ShowTaxIDs)...)
	}
	return e
}

// Write writes the evidence of requests to path, in the format of its extension, and the
// manifest to ManifestPath. It replaces existing files.
func Write(path string, from Source, requests []Request) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	e := newEvidence(from, requests)
	hash, err := writeHashed(path, func(w io.Writer) error { return e.write(w, ending(path), false) })
	if err != nil {
		return err
	}
	m := e.manifest()
	m.File, m.SHA256 = filepath.Base(path), hash
	return writeManifest(path, m)
}

func writeHashed(path string, write func(io.Writer) error) (sum string, err error) {
	err = atomicfile.Write(path, 0o600, func(w io.Writer) error {
		sum, err = hashed(w, write)
		return err
	})
	return sum, err
}

func hashed(w io.Writer, write func(io.Writer) error) (sum string, err error) {
	hash := sha256.New()
	err = write(io.MultiWriter(w, hash))
	return hex.EncodeToString(hash.Sum(nil)), err
}

// Stream writes the evidence of requests to w in the format of an extension, and returns
// its SHA-256 in hexadecimal.
func Stream(w io.Writer, ending string, from Source, requests []Request) (sum string, err error) {
	return hashed(w, func(w io.Writer) error { return newEvidence(from, requests).write(w, ending, false) })
}

// write keeps a workbook uncompressed if plain is set, so that its bytes are the same on
// every machine.
func (e evidence) write(w io.Writer, ending string, plain bool) error {
	switch ending {
	case ".json":
		return writeRows(w, namesOf(columns), e.rows)
	case ".xlsx":
		return spreadsheet.Workbook{Sheets: e.sheets(), Plain: plain}.Write(w)
	}
	return spreadsheet.WriteCSV(w, textSheet(namesOf(columns), e.rows))
}

func textSheet(names []string, rows [][]string) spreadsheet.Sheet {
	return spreadsheet.Sheet{Columns: names, Each: cellsOf(rows, spreadsheet.Texts)}
}

func cellsOf[T any](rows []T, cells func(T) []spreadsheet.Cell) iter.Seq[[]spreadsheet.Cell] {
	return func(yield func([]spreadsheet.Cell) bool) {
		for _, row := range rows {
			if !yield(cells(row)) {
				return
			}
		}
	}
}

func writeRows(w io.Writer, names []string, rows [][]string) error {
	separator := "["
	out := bufio.NewWriter(w)
	for _, row := range rows {
		out.WriteString(separator + "\n")
		out.Write(object(names, row))
		separator = ","
	}
	if len(rows) > 0 {
		separator = "\n"
	}
	out.WriteString(separator + "]\n")
	return out.Flush()
}

func object(names, values []string) []byte {
	text := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			text = append(text, ',')
		}
		value, _ := json.Marshal(values[i])
		text = append(append(strconv.AppendQuote(text, name), ':'), value...)
	}
	return append(text, '}')
}
