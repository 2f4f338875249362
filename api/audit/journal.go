package audit

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/spreadsheet"
)

func callsOf(requests []Request) (calls []model.JournalEntry) {
	for _, r := range requests {
		calls = append(calls, r.Calls...)
	}
	return calls
}

func callRows(calls []model.JournalEntry, showTaxIDs bool) (rows [][]string) {
	for _, c := range calls {
		rows = append(rows, valuesOf(callColumns, call{c, showTaxIDs}))
	}
	return rows
}

func journalObjects(calls []model.JournalEntry, showTaxIDs bool) []json.RawMessage {
	objects := []json.RawMessage{}
	for _, row := range callRows(calls, showTaxIDs) {
		objects = append(objects, object(namesOf(callColumns), row))
	}
	return objects
}

const journalName = "Journal"

func journalSheet(rows [][]string) spreadsheet.Sheet {
	s := textSheet(namesOf(callColumns), rows)
	s.Name = journalName
	return s
}

func (m packedManifest) journalSheet() (spreadsheet.Sheet, error) {
	s := spreadsheet.Sheet{Name: journalName}
	err := eachRow(bytes.NewReader(m.Journal), func(titles, _ []string) bool {
		s.Columns = titles
		return false
	})
	if err != nil {
		return s, unreadable(manifestFile, err)
	}
	s.Each = func(yield func([]spreadsheet.Cell) bool) {
		// The rows until one that cannot be read make another workbook.
		_ = eachRow(bytes.NewReader(m.Journal), func(_, row []string) bool { return yield(spreadsheet.Texts(row)) })
	}
	return s, nil
}

// Batch is a batch of retirements, as its evidence names it.
type Batch struct {
	// Name is what it is known by, SHA256 the hash of its file in hexadecimal.
	Name, SHA256 string
	// Calls are all that the journal has of it, in the order in which they were
	// prepared.
	Calls []model.JournalEntry
}

// JournalPath is where the evidence of a batch stands whose results are in a
// file: beside it.
func JournalPath(results string) string {
	return strings.TrimSuffix(results, filepath.Ext(results)) + ".evidence.csv"
}

type batchJSON struct {
	File         string `json:"file"`
	SHA256       string `json:"sha256"`
	CreatedAt    string `json:"created_at"`
	Service      string `json:"service"`
	Version      string `json:"version"`
	Batch        string `json:"batch"`
	BatchSHA256  string `json:"batch_sha256"`
	Rows         int    `json:"rows"`
	TaxIDsMasked bool   `json:"tax_ids_masked"`
}

// WriteBatch writes the calls of a batch to path as CSV, a row for each, and the
// manifest to ManifestPath. Each file is whole or not there. What was there before
// is replaced.
func WriteBatch(path string, from Source, b Batch) error {
	hash, err := writeHashed(path, func(w io.Writer) error {
		return spreadsheet.WriteCSV(w, journalSheet(callRows(b.Calls, from.ShowTaxIDs)))
	})
	if err != nil {
		return err
	}
	return writeManifest(path, batchJSON{
		File: filepath.Base(path), SHA256: hash, CreatedAt: from.CreatedAt.UTC().Format(time.RFC3339),
		Service: from.Service, Version: from.Version, Batch: b.Name, BatchSHA256: b.SHA256, Rows: len(b.Calls), TaxIDsMasked: !from.ShowTaxIDs,
	})
}
