// Package evidence writes what an auditor wants of retirements to a file, with
// a manifest beside it that says where the file comes from.
package evidence

import (
	"crypto/sha256"
	"encoding/csv"
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
	"tonne/ui/cli/output"
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
	var rows []model.EvidenceRow
	for _, r := range retirements {
		rows = append(rows, model.Evidence(r, from.ShowTaxIDs)...)
	}
	hash := sha256.New()
	err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
		w = io.MultiWriter(w, hash)
		switch ending(path) {
		case ".json":
			return writeJSON(w, rows)
		case ".xlsx":
			return writeXLSX(w, rows)
		}
		return writeCSV(w, rows)
	})
	if err != nil {
		return err
	}
	return writeManifest(path, model.EvidenceManifest{
		CreatedAt: from.CreatedAt, Service: from.Service, Version: from.Version,
		Requests: len(retirements), Rows: len(rows), SHA256: hex.EncodeToString(hash.Sum(nil)), TaxIDsMasked: !from.ShowTaxIDs,
	})
}

func writeCSV(w io.Writer, rows []model.EvidenceRow) error {
	out := csv.NewWriter(w)
	if err := out.Write(model.EvidenceColumns()); err != nil {
		return err
	}
	for _, row := range rows {
		safe := make([]string, len(row))
		for i, cell := range row {
			safe[i] = output.Cell(cell)
		}
		if err := out.Write(safe); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func writeJSON(w io.Writer, rows []model.EvidenceRow) error {
	columns := model.EvidenceColumns()
	return output.List(w, func(yield func(member) bool) {
		for _, row := range rows {
			if !yield(member{columns, row}) {
				return
			}
		}
	})
}

// member is a row as an object whose members stand in the order of the
// columns.
type member struct {
	columns []string
	row     model.EvidenceRow
}

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

func writeManifest(path string, m model.EvidenceManifest) error {
	text, err := json.MarshalIndent(struct {
		File         string `json:"file"`
		SHA256       string `json:"sha256"`
		CreatedAt    string `json:"created_at"`
		Service      string `json:"service"`
		Version      string `json:"version"`
		Requests     int    `json:"requests"`
		Rows         int    `json:"rows"`
		TaxIDsMasked bool   `json:"tax_ids_masked"`
	}{
		filepath.Base(path), m.SHA256, m.CreatedAt.UTC().Format(time.RFC3339), m.Service, m.Version,
		m.Requests, m.Rows, m.TaxIDsMasked,
	}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(ManifestPath(path), append(text, '\n'), 0o600)
}
