// Package audit makes and verifies audit evidence of retirements. An Auditor reads
// what this machine knows of retirement requests (Records), checks them (Examine) and
// writes files with a manifest or packs: zip files with certificates, API responses
// and the hash of each file. CloseMonth adds the files of a month. VerifyPack checks a
// pack without a network. The package neither looks requests up nor prints: its
// callers pass answers in and show the results.
package audit

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"tonne/model"
	"tonne/model/atomicfile"
	"tonne/model/spreadsheet"
)

// formats are the endings of the files that can be written.
var formats = []string{".csv", ".json", ".xlsx"}

// CheckPath refuses a path whose ending names no format.
func CheckPath(path string) error {
	if !slices.Contains(formats, ending(path)) {
		return fmt.Errorf("%q does not end in %s", path, strings.Join(formats, ", "))
	}
	return nil
}

// CheckPlace refuses a path where no file can be written. It leaves what is
// there as it is.
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

// ManifestPath is where the manifest of an evidence file stands.
func ManifestPath(path string) string { return path + ".manifest.json" }

// Source says where evidence comes from.
type Source struct {
	CreatedAt time.Time
	// Service is the base URL; Version is the program's.
	Service, Version string
	ShowTaxIDs       bool
}

// Write writes the evidence of retirements to path, in the format of its
// ending, and the manifest beside it. Each file is whole or not there. What
// was there before is replaced.
func Write(path string, from Source, retirements []model.EvidenceSource) error {
	if err := CheckPath(path); err != nil {
		return err
	}
	rows := rowsOf(from, retirements)
	hash := sha256.New()
	err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
		return writeRows(io.MultiWriter(w, hash), ending(path), retirements, rows, from.ShowTaxIDs, false)
	})
	if err != nil {
		return err
	}
	m := manifestOf(from, retirements, rows)
	m.File, m.SHA256 = filepath.Base(path), hex.EncodeToString(hash.Sum(nil))
	return writeManifest(path, m)
}

// Stream writes the evidence of retirements to w, in the format of an ending,
// and returns its SHA-256 in hexadecimal.
func Stream(w io.Writer, ending string, from Source, retirements []model.EvidenceSource) (sum string, err error) {
	hash := sha256.New()
	err = writeRows(io.MultiWriter(w, hash), ending, retirements, rowsOf(from, retirements), from.ShowTaxIDs, false)
	return hex.EncodeToString(hash.Sum(nil)), err
}

func rowsOf(from Source, retirements []model.EvidenceSource) []model.EvidenceRow {
	var rows []model.EvidenceRow
	lacks := model.Lacks(retirements)
	for _, r := range retirements {
		r.Lacks = lacks
		rows = append(rows, model.Evidence(r, from.ShowTaxIDs)...)
	}
	return rows
}

// writeRows writes rows in the format of an ending. Plain keeps a workbook as it
// is, so that its bytes depend on no compression.
func writeRows(w io.Writer, ending string, retirements []model.EvidenceSource, rows []model.EvidenceRow, showTaxIDs, plain bool) error {
	switch ending {
	case ".json":
		return writeJSON(w, rows)
	case ".xlsx":
		return spreadsheet.Workbook{Sheets: workbook(retirements, rows, showTaxIDs), Plain: plain}.Write(w)
	}
	return spreadsheet.WriteCSV(w, textSheet(model.EvidenceColumns(), rows))
}

func textSheet(columns []string, rows []model.EvidenceRow) spreadsheet.Sheet {
	return spreadsheet.Sheet{Columns: columns, Each: func(yield func([]spreadsheet.Cell) bool) {
		for _, row := range rows {
			if !yield(spreadsheet.Texts(row)) {
				return
			}
		}
	}}
}

func writeJSON(w io.Writer, rows []model.EvidenceRow) error {
	columns, separator := model.EvidenceColumns(), "["
	out := bufio.NewWriter(w)
	for _, row := range rows {
		text, err := member{columns, row}.MarshalJSON()
		if err != nil {
			return err
		}
		out.WriteString(separator + "\n")
		out.Write(text)
		separator = ","
	}
	if len(rows) > 0 {
		separator = "\n"
	}
	out.WriteString(separator + "]\n")
	return out.Flush()
}

type member struct {
	columns []string
	row     model.EvidenceRow
}

// MarshalJSON writes the members in the order of the columns.
func (m member) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	for i, name := range m.columns {
		before := ','
		if i == 0 {
			before = '{'
		}
		text, err := json.Marshal(m.row[i])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%c%q:%s", before, name, text)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}
