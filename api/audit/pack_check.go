package audit

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"tonne/model"
)

// packCheck compares the files of a pack with each other. Matching hashes prove nothing
// by themselves, because an attacker can write a matching list.
type packCheck struct {
	files map[string]*zip.File
	sums  map[string]string
	// manifest is the manifest of the pack, and version the version of this program.
	manifest manifestJSON
	version  string
	// titles are the column titles of the evidence, rows its values.
	titles []string
	rows   [][]string
	// doubts are the failed checks in the manifest, by request. named are the files that
	// the evidence names.
	doubts map[string][]FailedCheck
	named  map[string]bool
	// answers are the hashes from monthHash, by request.
	answers map[string][sha256.Size]byte
	wrong   []string
}

// The limits of a PackError: the number of phrases and the bytes of each.
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

func checkPack(files map[string]*zip.File, sums map[string]string, m manifestJSON, version string) []string {
	a := &packCheck{files: files, sums: sums, manifest: m, version: version, doubts: make(map[string][]FailedCheck), named: make(map[string]bool), answers: make(map[string][sha256.Size]byte)}
	for _, d := range m.Doubts {
		a.doubts[d.Request] = append(a.doubts[d.Request], d)
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
	requests := 0
	for rows := range a.byRequest() {
		requests++
		a.compareFiles(rows[0])
		a.compareAnswer(rows)
	}
	if m := a.manifest; m.Requests != requests || m.Rows != len(a.rows) {
		a.differ("%s counts %d requests in %d rows, but the evidence has %d in %d", manifestFile, m.Requests, m.Rows, requests, len(a.rows))
	}
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		ofRequest := strings.HasPrefix(name, answersDir) || strings.HasPrefix(name, certificates)
		if ofRequest && !a.named[name] {
			a.differ("%s belongs to no request of the evidence", name)
		}
	}
	return nil
}

func (a *packCheck) byRequest() iter.Seq[[][]string] {
	return func(yield func([][]string) bool) {
		for first, last := 0, 0; first < len(a.rows); first = last {
			for last < len(a.rows) && a.value(a.rows[last], idColumn) == a.value(a.rows[first], idColumn) {
				last++
			}
			if !yield(a.rows[first:last]) {
				return
			}
		}
	}
}

func (a *packCheck) read() error {
	name := evidenceFile + ".json"
	file, err := a.files[name].Open()
	if err != nil {
		return unreadable(name)
	}
	defer file.Close()
	_, values := limits(name)
	err = eachRow(file, func(titles, row []string) bool {
		a.titles, a.rows, values = titles, append(a.rows, row), values-len(row)-1
		return values > 0
	})
	switch {
	case err != nil:
		return unreadable(name)
	case values <= 0:
		return refuse("%s has too many values", name)
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
		return unreadable(name)
	}
	defer file.Close()
	if a.titles, err = csv.NewReader(io.LimitReader(file, longest)).Read(); err != nil {
		return unreadable(name)
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
	if value(doubtsColumn) != joined(a.doubts[id]) {
		a.differ("%s and the evidence differ in the failed checks of %s", manifestFile, id)
	}
	answer := answersDir + model.FileName(id) + ".json"
	switch {
	case a.named[answer]:
		a.differ("the evidence has the request %s twice", id)
	case a.files[answer] == nil:
		a.differ("%s is missing, although the evidence has the request", answer)
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
		a.differ("%s is missing, although the evidence names it", name)
	case a.sums[name] != value("certificate_sha256"):
		a.differ("%s is not the file that the evidence names", name)
	}
}
