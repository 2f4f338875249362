package audit

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"time"

	"tonne/model/retirement"
	"tonne/model/spreadsheet"
)

func callsOf(requests []Request) (calls []retirement.JournalEntry) {
	for _, r := range requests {
		calls = append(calls, r.Calls...)
	}
	return calls
}

func callRows(calls []retirement.JournalEntry, showTaxIDs bool) (rows [][]string) {
	for _, c := range calls {
		if !showTaxIDs {
			c.Call.Retiree.TaxID = retirement.MaskTaxID(c.Call.Retiree.TaxID)
		}
		rows = append(rows, valuesOf(callColumns, c))
	}
	return rows
}

func journalArray(calls []retirement.JournalEntry, showTaxIDs bool) json.RawMessage {
	var array bytes.Buffer
	_ = writeRows(&array, namesOf(callColumns), callRows(calls, showTaxIDs))
	return array.Bytes()
}

const journalName = "Journal"

func journalSheet(rows [][]string) spreadsheet.Sheet {
	s := textSheet(namesOf(callColumns), rows)
	s.Name = journalName
	return s
}

func (m manifestJSON) journalSheet() (spreadsheet.Sheet, error) {
	s := spreadsheet.Sheet{Name: journalName}
	err := eachRow(bytes.NewReader(m.Journal), func(titles, _ []string) bool {
		s.Columns = titles
		return false
	})
	if err != nil {
		return s, unreadable(manifestFile)
	}
	s.Each = func(yield func([]spreadsheet.Cell) bool) {
		// The rows until one that cannot be read make another workbook.
		_ = eachRow(bytes.NewReader(m.Journal), func(_, row []string) bool { return yield(spreadsheet.Texts(row)) })
	}
	return s, nil
}

// JournalPath is where the evidence of a batch stands, next to its results.
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

// WriteBatch writes the calls of a batch to path as CSV, and the manifest, which has
// the hash of the file of the batch, to ManifestPath. It replaces what was there.
func WriteBatch(path string, from Source, batch, sha256 string, calls []retirement.JournalEntry) error {
	hash, err := writeHashed(path, func(w io.Writer) error {
		return spreadsheet.WriteCSV(w, journalSheet(callRows(calls, from.ShowTaxIDs)))
	})
	if err != nil {
		return err
	}
	return writeManifest(path, batchJSON{
		File: filepath.Base(path), SHA256: hash, CreatedAt: from.CreatedAt.UTC().Format(time.RFC3339),
		Service: from.Service, Version: from.Version, Batch: batch, BatchSHA256: sha256, Rows: len(calls), TaxIDsMasked: !from.ShowTaxIDs,
	})
}
