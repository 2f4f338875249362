package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"tonne/api/wire"
	"tonne/model"
	"tonne/model/field"
	"tonne/model/file/spreadsheet"
	"tonne/model/retirement"
)

// packCheck compares the files of a pack with each other. Matching hashes prove nothing
// by themselves, because an attacker can write a matching list.
type packCheck struct {
	files map[string]*packFile
	sums  map[string]string
	// version is the version of this program.
	version string
	// table is the evidence of the pack.
	table
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

func checkPack(files map[string]*packFile, sums map[string]string, m manifestJSON, version string) []string {
	a := &packCheck{
		files: files, sums: sums, version: version, table: table{manifest: m},
		doubts: make(map[string][]FailedCheck), named: make(map[string]bool), answers: make(map[string][sha256.Size]byte),
	}
	for _, d := range m.Doubts {
		a.doubts[d.Request] = append(a.doubts[d.Request], d)
	}
	for _, name := range []string{manifestFile, evidenceFile + ".csv", evidenceFile + ".json", evidenceFile + ".xlsx"} {
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
		a.differ(
			"%s counts %d requests in %d rows, but the evidence has %d in %d",
			manifestFile,
			m.Requests,
			m.Rows,
			requests,
			len(a.rows),
		)
	}
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		ofRequest := strings.HasPrefix(name, answersDir) || strings.HasPrefix(name, certificates)
		if ofRequest && !a.named[name] {
			a.differ("%s belongs to no request of the evidence", name)
		}
	}
	return nil
}

func (a *packCheck) byRequest() iter.Seq[[][]field.Value] {
	return func(yield func([][]field.Value) bool) {
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
	_, values := limits(name)
	var origins []origin
	err := a.readFile(name, func(r io.Reader) error {
		return eachRow(r, func(titles, row []string) bool {
			if origins == nil {
				origins = slices.Collect(field.Each(slices.Values(titles), originOf))
			}
			read := make([]field.Value, len(row))
			for c, text := range row {
				read[c] = origins[c].read(text)
			}
			a.titles, a.rows, values = titles, append(a.rows, read), values-len(row)-1
			return values > 0
		})
	})
	if err == nil && values <= 0 {
		return refuse("%s has too many values", name)
	}
	if err != nil || a.titles != nil {
		return err
	}
	const longest = 64 << 10
	return a.readFile(evidenceFile+".csv", func(r io.Reader) (err error) {
		a.titles, err = csv.NewReader(io.LimitReader(r, longest)).Read()
		return err
	})
}

func (a *packCheck) readFile(name string, read func(io.Reader) error) error {
	file, err := a.files[name].Open()
	if err != nil {
		return unreadable(name)
	}
	defer file.Close()
	if read(file) != nil {
		return unreadable(name)
	}
	return nil
}

func (a *packCheck) value(row []field.Value, title string) string {
	if c := slices.Index(a.titles, title); c >= 0 {
		return row[c].Plain()
	}
	return ""
}

func (a *packCheck) compareFiles(row []field.Value) {
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

// needsOnlyAnswer reports whether a check needs only the API response. Another version may produce other results.
func needsOnlyAnswer(check string) bool {
	made := retirement.Request{}.Checks(model.Project{}, false)
	return check != retirement.SerialsMatchVintage &&
		slices.ContainsFunc(made, func(c retirement.Check) bool { return c.Name == check })
}

func (a *packCheck) compareAnswer(rows [][]field.Value) {
	id := a.value(rows[0], idColumn)
	a.compareChecks(id, rows)
	name := answersDir + model.FileName(id) + ".json"
	if a.files[name] == nil {
		return
	}
	text, err := readPacked(a.files[name])
	if err != nil {
		a.differ("%v", err)
		return
	}
	answer, err := wire.DecodeRetirement(text)
	if err != nil {
		a.differ("%s is not a readable API response", name)
		return
	}
	a.answers[id] = monthHash(string(answer.Status), answer.TotalQuantity.String(), answer.RetiredAt.Text)
	if max(1, len(answer.SerialNumbers)) != len(rows) {
		a.differ("%s has %d serial numbers, but the evidence has %d rows for it", name, len(answer.SerialNumbers), len(rows))
		return
	}
	remade := rowsOf(Request{Retirement: answer}, "", !a.manifest.TaxIDsMasked)
	if differ := a.differing(rows, remade); len(differ) > 0 {
		a.differ("%s and the evidence differ: %s", name, strings.Join(differ, ", "))
	}
}

func (a *packCheck) differing(rows, remade [][]field.Value) (titles []string) {
	for c, column := range columns {
		at, otherVersion := slices.Index(a.titles, column.Name), a.manifest.Version != a.version
		check := strings.TrimPrefix(column.Name, checkPrefix)
		if at < 0 || !column.has(answered) && (otherVersion || !needsOnlyAnswer(check)) {
			continue
		}
		for i, row := range rows {
			// One of the versions may not know the format of the serial number.
			packed, made := row[at].Plain(), remade[i][c].Plain()
			if column.has(perFormat) && otherVersion && (packed == "" || made == "") {
				continue
			}
			// JSON replaces invalid UTF-8.
			if packed != strings.ToValidUTF8(made, "\ufffd") {
				titles = append(titles, column.Name)
				break
			}
		}
	}
	return titles
}

// compareChecks allows a failed check that is not checkable: missing serial numbers are one.
func (a *packCheck) compareChecks(id string, rows [][]field.Value) {
	for c, check := range a.checkColumns() {
		_, doubted := a.doubt(id, check)
		wrong := slices.IndexFunc(rows, func(row []field.Value) bool {
			result := retirement.Result(row[c].Plain())
			return !doubted && result == retirement.Fail || doubted && result == retirement.Pass
		})
		if wrong >= 0 {
			a.differ("%s of %s is %q, which contradicts the failed checks", a.titles[c], id, rows[wrong][c].Plain())
		}
	}
}

func (a *packCheck) doubt(id, check string) (detail string, found bool) {
	for _, d := range a.doubts[id] {
		if d.Check == check {
			return d.Detail, true
		}
	}
	return "", false
}

// sameFile rebuilds a file and compares its hash.
func (a *packCheck) sameFile(name string, write func(io.Writer) error) error {
	sum, err := hashed(io.Discard, write)
	if err != nil || sum != a.sums[name] {
		return fmt.Errorf("%s does not match the evidence", name)
	}
	return nil
}

func (a *packCheck) compareCSV() error {
	return a.sameFile(evidenceFile+".csv", func(w io.Writer) error { return a.table.write(w, ".csv", true) })
}

// compareWorkbook takes texts that no other file has from the workbook itself: the details of
// checks that did not fail and, for packs of other versions, the note next to a total.
func (a *packCheck) compareWorkbook() error {
	const name = evidenceFile + ".xlsx"
	var err error
	if a.journal, err = journalSheet(a.manifest.Journal); err != nil {
		return err
	}
	a.checks = a.checkRows(a.files[name])
	if a.note = a.addedTwice; a.manifest.Version != a.version {
		a.note = func() string {
			texts := openTexts(a.files[name], 1)
			defer texts.Close()
			return texts.next(spreadsheet.CellName(slices.Index(a.titles, doubtsColumn), len(a.rows)+1))
		}
	}
	return a.sameFile(name, func(w io.Writer) error { return a.table.write(w, ".xlsx", true) })
}

// journalSheet returns the calls of a manifest. Unreadable rows are missing, so that the workbook differs.
func journalSheet(journal json.RawMessage) (sheet spreadsheet.Sheet, err error) {
	if len(journal) == 0 {
		return sheet, nil
	}
	var titles []string
	err = eachRow(bytes.NewReader(journal), func(names, _ []string) bool {
		titles = names
		return false
	})
	switch {
	case err != nil:
		return sheet, unreadable(manifestFile)
	case titles == nil:
		return sheet, nil
	}
	return textSheet("Journal", titles, func(yield func(row []string) bool) {
		_ = eachRow(bytes.NewReader(journal), func(_, row []string) bool { return yield(row) })
	}), nil
}

func (a *packCheck) checkRows(packed *packFile) iter.Seq[[]string] {
	const sheet, detailColumn = 2, 3
	return func(yield func([]string) bool) {
		texts, number := openTexts(packed, sheet), 0
		defer texts.Close()
		for rows := range a.byRequest() {
			row, id := rows[0], a.value(rows[0], idColumn)
			for c, check := range a.checkColumns() {
				number++
				detail, doubted := a.doubt(id, check)
				if !doubted {
					detail = texts.next(spreadsheet.CellName(detailColumn, number))
				}
				if !yield([]string{id, check, row[c].Plain(), detail}) {
					return
				}
			}
		}
	}
}

// checkColumns yields the columns of checks with the names of these.
func (a *packCheck) checkColumns() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for c, title := range a.titles {
			if check, found := strings.CutPrefix(title, checkPrefix); found && !yield(c, check) {
				return
			}
		}
	}
}
