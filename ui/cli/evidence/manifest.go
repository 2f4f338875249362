package evidence

import (
	"encoding/json"
	"path/filepath"
	"time"

	"tonne/model"
	"tonne/model/atomicfile"
)

// manifestOf says where evidence comes from, but for the hash of its file.
func manifestOf(from Source, retirements []model.EvidenceSource, rows []model.EvidenceRow) model.EvidenceManifest {
	m := model.EvidenceManifest{
		CreatedAt: from.CreatedAt, Service: from.Service, Version: from.Version, Rows: len(rows), TaxIDsMasked: !from.ShowTaxIDs,
	}
	for _, r := range retirements {
		m.Doubts = append(m.Doubts, r.Doubts()...)
		if r.LeftOut == "" {
			m.Requests++
		}
	}
	return m
}

// manifestJSON is a manifest as it is written.
type manifestJSON struct {
	File         string `json:"file,omitempty"`
	SHA256       string `json:"sha256,omitempty"`
	CreatedAt    string `json:"created_at,omitempty"`
	Service      string `json:"service"`
	Version      string `json:"version"`
	Requests     int    `json:"requests"`
	Rows         int    `json:"rows"`
	TaxIDsMasked bool   `json:"tax_ids_masked"`
	// TaxIDsInAnswers is told of a pack alone.
	TaxIDsInAnswers bool          `json:"tax_ids_in_answers,omitempty"`
	LeftOut         []leftOutJSON `json:"left_out"`
	Doubts          []doubtJSON   `json:"doubts"`
	// Journal are the calls that made the requests.
	Journal []member `json:"journal"`
}

type leftOutJSON struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

type doubtJSON struct {
	ID     string `json:"id"`
	Check  string `json:"check"`
	Detail string `json:"detail"`
}

// marshalManifest writes a manifest as JSON that people read.
func marshalManifest(file string, m model.EvidenceManifest, calls []model.JournalEntry) ([]byte, error) {
	out := manifestJSON{
		File: file, SHA256: m.SHA256, Service: m.Service, Version: m.Version,
		Requests: m.Requests, Rows: m.Rows, TaxIDsMasked: m.TaxIDsMasked, TaxIDsInAnswers: m.TaxIDsInAnswers, LeftOut: []leftOutJSON{}, Doubts: []doubtJSON{},
		Journal: journalMembers(calls, !m.TaxIDsMasked),
	}
	if !m.CreatedAt.IsZero() {
		out.CreatedAt = m.CreatedAt.UTC().Format(time.RFC3339)
	}
	for _, d := range m.Doubts {
		if d.Check == "" {
			out.LeftOut = append(out.LeftOut, leftOutJSON{d.Request, d.Detail})
			continue
		}
		out.Doubts = append(out.Doubts, doubtJSON{d.Request, d.Check, d.Detail})
	}
	text, err := json.MarshalIndent(out, "", "  ")
	return append(text, '\n'), err
}

func writeManifest(path string, m model.EvidenceManifest, calls []model.JournalEntry) error {
	text, err := marshalManifest(filepath.Base(path), m, calls)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(ManifestPath(path), text, 0o600)
}
