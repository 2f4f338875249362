package audit

import (
	"archive/zip"
	"encoding/json"
	"time"

	"tonne/model/atomicfile"
)

type manifestJSON struct {
	// File is the evidence file, SHA256 its hash in hexadecimal.
	File      string `json:"file,omitempty"`
	SHA256    string `json:"sha256,omitempty"`
	CreatedAt string `json:"created_at,omitempty"`
	// Service is the base URL of the data, Version the version of the program.
	Service string `json:"service"`
	Version string `json:"version"`
	// Requests and Rows count the retirement requests and the rows.
	Requests int `json:"requests"`
	Rows     int `json:"rows"`
	// TaxIDsMasked means that at most the last four characters of tax ids are shown.
	TaxIDsMasked bool `json:"tax_ids_masked"`
	// TaxIDsInAnswers means that the API responses in a pack have full tax ids.
	TaxIDsInAnswers bool          `json:"tax_ids_in_answers,omitempty"`
	LeftOut         []leftOutJSON `json:"left_out"`
	Doubts          []FailedCheck `json:"doubts"`
	// Journal is an array of the calls that made the requests. It is read row by row.
	Journal json.RawMessage `json:"journal"`
}

func (m *manifestJSON) read(f *zip.File) error {
	text, err := readPacked(f)
	if err == nil && json.Unmarshal(text, m) != nil {
		err = unreadable(f.Name)
	}
	return err
}

type leftOutJSON struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

func leftOutOf(requests []Request) []leftOutJSON {
	leftOut := []leftOutJSON{}
	for _, r := range requests {
		if r.LeftOut != "" {
			leftOut = append(leftOut, leftOutJSON{r.Retirement.ID, r.LeftOut})
		}
	}
	return leftOut
}

func (e evidence) manifest() manifestJSON {
	m := manifestJSON{
		Service: e.from.Service, Version: e.from.Version, Rows: len(e.rows), TaxIDsMasked: !e.from.ShowTaxIDs, LeftOut: leftOutOf(e.requests), Doubts: []FailedCheck{},
		Journal: journalArray(callsOf(e.requests), e.from.ShowTaxIDs),
	}
	if !e.from.CreatedAt.IsZero() {
		m.CreatedAt = e.from.CreatedAt.UTC().Format(time.RFC3339)
	}
	for _, r := range e.requests {
		if r.LeftOut == "" {
			m.Requests++
			m.Doubts = append(m.Doubts, r.FailedChecks()...)
		}
	}
	return m
}

func indented(manifest any) ([]byte, error) {
	text, err := json.MarshalIndent(manifest, "", "  ")
	return append(text, '\n'), err
}

func writeManifest(path string, manifest any) error {
	text, err := indented(manifest)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(ManifestPath(path), text, 0o600)
}
