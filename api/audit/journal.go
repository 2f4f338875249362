package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/atomicfile"
	"tonne/model/spreadsheet"
)

func callsOf(retirements []model.EvidenceSource) (calls []model.JournalEntry) {
	for _, r := range retirements {
		calls = append(calls, r.Calls...)
	}
	return calls
}

func journalMembers(calls []model.JournalEntry, showTaxIDs bool) []member {
	members := []member{}
	for _, c := range calls {
		members = append(members, member{model.JournalColumns(), c.Row(showTaxIDs)})
	}
	return members
}

func journalSheet(calls []model.JournalEntry, showTaxIDs bool) spreadsheet.Sheet {
	s := spreadsheet.Sheet{Name: journalName, Columns: model.JournalColumns()}
	for _, c := range calls {
		s.Rows = append(s.Rows, spreadsheet.Texts(c.Row(showTaxIDs)))
	}
	return s
}

const journalName = "Journal"

func (m packedManifest) journalSheet() (spreadsheet.Sheet, error) {
	s := spreadsheet.Sheet{Name: journalName}
	next, err := jsonCells(bytes.NewReader(m.Journal))
	if err != nil {
		return s, unreadable(manifestFile, err)
	}
	if s.Columns, err = next(); err != nil && err != io.EOF {
		return s, unreadable(manifestFile, err)
	}
	s.Each = func(yield func([]spreadsheet.Cell) bool) {
		if next, err = jsonCells(bytes.NewReader(m.Journal)); err == nil {
			_, err = next()
		}
		for err == nil {
			var row []string
			if row, err = next(); err == nil && !yield(spreadsheet.Texts(row)) {
				return
			}
		}
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

// WriteBatch writes the calls of a batch to path as CSV, a row for each, and
// the manifest beside it. Each file is whole or not there. What was there
// before is replaced.
func WriteBatch(path string, from Source, b Batch) error {
	hash := sha256.New()
	err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
		return spreadsheet.WriteCSV(io.MultiWriter(w, hash), journalSheet(b.Calls, from.ShowTaxIDs))
	})
	if err != nil {
		return err
	}
	return writeManifest(path, batchJSON{
		File: filepath.Base(path), SHA256: hex.EncodeToString(hash.Sum(nil)), CreatedAt: from.CreatedAt.UTC().Format(time.RFC3339),
		Service: from.Service, Version: from.Version, Batch: b.Name, BatchSHA256: b.SHA256, Rows: len(b.Calls), TaxIDsMasked: !from.ShowTaxIDs,
	})
}
