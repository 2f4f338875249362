package audit

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"tonne/model"
)

// packCheck compares the files of a pack with what its evidence names. The hashes
// alone prove nothing: an attacker can write a list that fits.
type packCheck struct {
	files map[string]*zip.File
	sums  map[string]string
	// manifest is that of the pack, version that of the program that verifies it.
	manifest packedManifest
	version  string
	// titles are those of the columns, rows what the evidence has in them, of so
	// many requests.
	titles   []string
	rows     [][]string
	requests int
	// doubts are those of the manifest by request; named are the files that the
	// evidence names.
	doubts map[string][]failedCheckJSON
	named  map[string]bool
	// answers are hashes of what a month has of the answers, by request.
	answers map[string][sha256.Size]byte
	wrong   []string
}

// What is told of a pack that is wrong: so many phrases of so many bytes.
const (
	maxWrong  = 100
	maxPhrase = 1000
)

func (a *packCheck) differ(format string, args ...any) {
	if len(a.wrong) < maxWrong {
		phrase := fmt.Sprintf(format, args...)
		a.wrong = append(a.wrong, phrase[:min(len(phrase), maxPhrase)])
	}
}

func checkPack(files map[string]*zip.File, sums map[string]string, m packedManifest, version string) []string {
	a := &packCheck{files: files, sums: sums, manifest: m, version: version, doubts: make(map[string][]failedCheckJSON), named: make(map[string]bool), answers: make(map[string][sha256.Size]byte)}
	for first := 0; first < len(m.Doubts); {
		last := first + 1
		for last < len(m.Doubts) && m.Doubts[last].ID == m.Doubts[first].ID {
			last++
		}
		a.doubts[m.Doubts[first].ID] = m.Doubts[first:last]
		first = last
	}
	names := []string{manifestFile}
	for _, ending := range formats {
		names = append(names, evidenceFile+ending)
	}
	for _, name := range names {
		if files[name] == nil {
			a.differ("%s is missing", name)
		}
	}
	for _, compare := range []func() error{a.read, a.compareCSV, a.compareRows, a.compareWorkbook, a.compareMonth} {
		if len(a.wrong) > 0 {
			break
		}
		if err := compare(); err != nil {
			a.differ("%v", err)
		}
	}
	return a.wrong
}

func (a *packCheck) compareRows() error {
	for first := 0; first < len(a.rows); {
		last := first + 1
		for last < len(a.rows) && a.value(a.rows[last], idColumn) == a.value(a.rows[first], idColumn) {
			last++
		}
		a.requests++
		a.compareFiles(a.rows[first])
		a.compareAnswer(a.rows[first:last])
		first = last
	}
	if m := a.manifest; m.Requests != a.requests || m.Rows != len(a.rows) {
		a.differ("%s tells of %d requests in %d rows, and the evidence has %d in %d", manifestFile, m.Requests, m.Rows, a.requests, len(a.rows))
	}
	a.findStrays()
	return nil
}

func (a *packCheck) findStrays() {
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		ofRequest := strings.HasPrefix(name, answersDir) || strings.HasPrefix(name, certificates)
		if ofRequest && !a.named[name] {
			a.differ("%s is of no request of the evidence", name)
		}
	}
}

func (a *packCheck) read() error {
	name := evidenceFile + ".json"
	file, err := openPacked(a.files[name])
	if err != nil {
		return unreadable(name, err)
	}
	defer file.Close()
	next, err := jsonCells(file)
	if err == nil {
		a.titles, err = next()
	}
	for err == nil {
		var row []string
		if row, err = next(); err == nil {
			a.rows = append(a.rows, row)
		}
	}
	if err != io.EOF {
		return unreadable(name, err)
	}
	return a.readTitles()
}

func (a *packCheck) readTitles() error {
	if a.titles != nil {
		return nil
	}
	const longest = 64 << 10
	name := evidenceFile + ".csv"
	file, err := a.files[name].Open()
	if err != nil {
		return unreadable(name, err)
	}
	defer file.Close()
	if a.titles, err = csv.NewReader(io.LimitReader(file, longest)).Read(); err != nil {
		return unreadable(name, err)
	}
	return nil
}

func (a *packCheck) value(row []string, title string) string {
	if c := slices.Index(a.titles, title); c >= 0 {
		return row[c]
	}
	return ""
}

func (a *packCheck) compareFiles(row []string) {
	value := func(title string) string { return a.value(row, title) }
	id := value(idColumn)
	if !lists(value(doubtsColumn), a.doubts[id]) {
		a.differ("%s and the evidence differ about the doubts of %s", manifestFile, id)
	}
	answer := answersDir + model.FileName(id) + ".json"
	switch {
	case a.named[answer]:
		a.differ("the evidence has %s twice", id)
	case a.files[answer] == nil:
		a.differ("%s is missing: the evidence has the request", answer)
	}
	a.named[answer] = true
	file := value("certificate_file")
	if file == "" {
		return
	}
	name := certificates + path.Base(file)
	a.named[name] = true
	switch {
	case a.files[name] == nil:
		a.differ("%s is missing: the evidence names it", name)
	case a.sums[name] != value("certificate_sha256"):
		a.differ("%s is not the one that the evidence names", name)
	}
}

func lists(value string, doubts []failedCheckJSON) bool {
	for i, d := range doubts {
		separator := "; "
		if i == 0 {
			separator = ""
		}
		rest, found := strings.CutPrefix(value, separator+FailedCheck{Request: d.ID, Check: d.Check, Detail: d.Detail}.String())
		if value = rest; !found {
			return false
		}
	}
	return value == ""
}
