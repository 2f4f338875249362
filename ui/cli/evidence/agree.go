package evidence

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"tonne/model"
	"tonne/ui/spreadsheet"
)

// agreement holds the files of a pack against what its evidence names. A list of
// hashes that somebody wrote anew fits whatever it lists.
type agreement struct {
	files map[string]*zip.File
	sums  map[string]string
	// manifest is that of the pack, version that of the program that verifies it.
	manifest manifestJSON
	version  string
	// titles are those of the columns, rows what the evidence has in them, of so
	// many requests.
	titles   []string
	rows     []model.EvidenceRow
	requests int
	// doubts are what the manifest tells of each request, as its rows do; failed is
	// the same by request and check; named are the files that the evidence names.
	doubts map[string]string
	failed map[[2]string]string
	// answers are those of the service, by their requests.
	answers map[string]model.Retirement
	named   map[string]bool
	wrong   []string
}

// agree returns what the evidence of a pack and its files do not agree about. The
// files are what the list of hashes says.
func agree(files map[string]*zip.File, sums map[string]string, m manifestJSON, version string) []string {
	a := &agreement{files: files, sums: sums, manifest: m, version: version, doubts: make(map[string]string), failed: make(map[[2]string]string), answers: make(map[string]model.Retirement), named: make(map[string]bool)}
	for _, d := range m.Doubts {
		told := model.Doubt{Request: d.ID, Check: d.Check, Detail: d.Detail}.String()
		if before := a.doubts[d.ID]; before != "" {
			told = before + "; " + told
		}
		a.doubts[d.ID], a.failed[[2]string{d.ID, d.Check}] = told, d.Detail
	}
	names := []string{manifestFile}
	for _, ending := range formats {
		names = append(names, evidenceFile+ending)
	}
	for _, name := range names {
		if files[name] == nil {
			a.wrong = append(a.wrong, name+" is missing")
		}
	}
	if len(a.wrong) > 0 {
		return a.wrong
	}
	if err := a.read(); err != nil {
		return append(a.wrong, err.Error())
	}
	a.holdAll()
	if m.Requests != a.requests || m.Rows != len(a.rows) {
		a.wrong = append(a.wrong, fmt.Sprintf("%s tells of %d requests in %d rows, and the evidence has %d in %d", manifestFile, m.Requests, m.Rows, a.requests, len(a.rows)))
	}
	a.findStrays()
	if err := a.holdMonth(); err != nil {
		a.wrong = append(a.wrong, err.Error())
	}
	if len(a.wrong) > 0 {
		return a.wrong
	}
	if err := a.holdWorkbook(); err != nil {
		a.wrong = append(a.wrong, err.Error())
	}
	return a.wrong
}

// findStrays finds the files that are of no request of the evidence.
func (a *agreement) findStrays() {
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		ofRequest := strings.HasPrefix(name, answersDir) || strings.HasPrefix(name, certificates)
		if ofRequest && !a.named[name] {
			a.wrong = append(a.wrong, name+" is of no request of the evidence")
		}
	}
}

// read reads the evidence in all formats.
func (a *agreement) read() error {
	var open [2]cells
	for i, in := range [...]func(io.Reader) (cells, error){csvCells, jsonCells} {
		file, err := a.files[evidenceFile+formats[i]].Open()
		if err != nil {
			return unreadable(formats[i])
		}
		defer file.Close()
		if open[i], err = in(file); err != nil {
			return unreadable(formats[i])
		}
	}
	for {
		var rows [len(open)][]string
		for i, next := range open {
			var err error
			if rows[i], err = next(); err != nil && err != io.EOF {
				return unreadable(formats[i])
			}
		}
		if done, err := a.take(rows[0], rows[1]); done || err != nil {
			return err
		}
	}
}

func unreadable(ending string) error {
	return fmt.Errorf("%s cannot be read", evidenceFile+ending)
}

// take takes a row of the evidence in each format, nil for none: first the titles.
// It reports whether it was the last. What the formats do not agree about is an
// error.
func (a *agreement) take(inCSV, inJSON []string) (done bool, err error) {
	if a.titles == nil {
		if a.titles = inCSV; inCSV == nil {
			return false, unreadable(".csv")
		}
		// An empty list of JSON has no names of members.
		if inJSON != nil && !slices.Equal(inCSV, inJSON) {
			return false, errTitles
		}
		return false, nil
	}
	if inJSON == nil {
		if inCSV != nil {
			return false, fmt.Errorf("%s.json has fewer rows than the other formats", evidenceFile)
		}
		return true, nil
	}
	a.rows = append(a.rows, inJSON)
	if len(inJSON) != len(a.titles) {
		return false, unreadable(".json")
	}
	for c, want := range inJSON {
		if c >= len(inCSV) || !sameInCSV(inCSV[c], want) {
			return false, fmt.Errorf("%s.csv and %s.json differ in row %d: %s", evidenceFile, evidenceFile, len(a.rows), a.titles[c])
		}
	}
	return false, nil
}

var errTitles = fmt.Errorf("the columns of %s.csv, .json and .xlsx differ", evidenceFile)

// holdAll holds the rows of each request against the files that they name and
// against its answer.
func (a *agreement) holdAll() {
	for first := 0; first < len(a.rows); {
		last := first + 1
		for last < len(a.rows) && a.value(a.rows[last], idColumn) == a.value(a.rows[first], idColumn) {
			last++
		}
		a.requests++
		a.hold(a.rows[first])
		a.holdAnswer(a.rows[first:last])
		first = last
	}
}

// value is what a row has in a column, empty for a column that is none.
func (a *agreement) value(row []string, title string) string {
	if c := slices.Index(a.titles, title); c >= 0 {
		return row[c]
	}
	return ""
}

// hold holds a row against the files that it names.
func (a *agreement) hold(row []string) {
	value := func(title string) string { return a.value(row, title) }
	id := value(idColumn)
	if value("doubts") != a.doubts[id] {
		a.wrong = append(a.wrong, fmt.Sprintf("%s and the evidence differ about the doubts of %s", manifestFile, id))
	}
	answer := answersDir + model.FileName(id) + ".json"
	if a.named[answer] = true; a.files[answer] == nil {
		a.wrong = append(a.wrong, answer+" is missing: the evidence has the request")
	}
	file := value("certificate_file")
	if file == "" {
		return
	}
	name := certificates + path.Base(file)
	a.named[name] = true
	switch {
	case a.files[name] == nil:
		a.wrong = append(a.wrong, name+" is missing: the evidence names it")
	case a.sums[name] != value("certificate_sha256"):
		a.wrong = append(a.wrong, name+" is not the one that the evidence names")
	}
}

// sameInCSV reports whether a cell of CSV is a value.
func sameInCSV(cell, value string) bool {
	return cell == spreadsheet.Guard(strings.ReplaceAll(value, "\r\n", "\n"))
}
