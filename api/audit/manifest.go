package audit

import (
	"archive/zip"
	"encoding/json"
	"time"

	"tonne/model/atomicfile"
)

// manifestJSON says where evidence comes from, so that it can be made again and
// shown to be unchanged.
type manifestJSON struct {
	// File is that of the rows, SHA256 its hash in hexadecimal.
	File      string `json:"file,omitempty"`
	SHA256    string `json:"sha256,omitempty"`
	CreatedAt string `json:"created_at,omitempty"`
	// Service is the base URL that the data was read from, Version that of the
	// program.
	Service string `json:"service"`
	Version string `json:"version"`
	// Requests and Rows count the retirement requests and the rows.
	Requests int `json:"requests"`
	Rows     int `json:"rows"`
	// TaxIDsMasked says that tax ids show their last four characters at most.
	TaxIDsMasked bool `json:"tax_ids_masked"`
	// TaxIDsInAnswers says that answers of the service lie beside the rows, with
	// tax ids in full: it is told of a pack alone.
	TaxIDsInAnswers bool          `json:"tax_ids_in_answers,omitempty"`
	LeftOut         []leftOutJSON `json:"left_out"`
	Doubts          []FailedCheck `json:"doubts"`
	// Journal are the calls that made the requests.
	Journal []json.RawMessage `json:"journal"`
}

type packedManifest struct {
	manifestJSON
	// Journal is read row by row.
	Journal json.RawMessage `json:"journal"`
}

func (m *packedManifest) read(f *zip.File) error {
	text, err := readPacked(f)
	if err == nil && json.Unmarshal(text, m) != nil {
		err = unreadable(f.Name, err)
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
		Journal: journalObjects(callsOf(e.requests), e.from.ShowTaxIDs),
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
