package audit

import (
	"archive/zip"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"tonne/api/wire"
	"tonne/model"
	"tonne/model/retirement"
	"tonne/model/spreadsheet"
)

// answerChecks are the checks that need only the API response. Another version may produce other results.
var answerChecks = []string{retirement.ItemsSumToTotal, retirement.SerialsSumToWholeTonnes, retirement.InvoicesSettled, retirement.BeneficiaryPresent}

func (a *packCheck) compareAnswer(rows [][]string) {
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

func (a *packCheck) differing(rows, remade [][]string) (titles []string) {
	for c, column := range columns {
		at := slices.Index(a.titles, column.name)
		check := strings.TrimPrefix(column.name, checkPrefix)
		if at < 0 || !column.ofAnswer && (a.manifest.Version != a.version || !slices.Contains(answerChecks, check)) {
			continue
		}
		for i, row := range rows {
			// JSON replaces invalid UTF-8.
			if row[at] != strings.ToValidUTF8(remade[i][c], "\ufffd") {
				titles = append(titles, column.name)
				break
			}
		}
	}
	return titles
}

func (a *packCheck) compareChecks(id string, rows [][]string) {
	for c, title := range a.titles {
		check, found := strings.CutPrefix(title, checkPrefix)
		if !found {
			continue
		}
		_, doubted := a.doubt(id, check)
		for _, row := range rows {
			if (row[c] == string(retirement.Fail)) != doubted {
				a.differ("%s of %s is %q, which contradicts the failed checks", title, id, row[c])
				break
			}
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

func (a *packCheck) compareWorkbook() error {
	const name = evidenceFile + ".xlsx"
	sheets, err := a.remadeSheets(a.files[name])
	if err != nil {
		return err
	}
	return a.sameFile(name, spreadsheet.Workbook{Sheets: sheets, Plain: true}.Write)
}

func (a *packCheck) compareCSV() error {
	return a.sameFile(evidenceFile+".csv", func(w io.Writer) error { return spreadsheet.WriteCSV(w, textSheet(a.titles, a.rows)) })
}

func (a *packCheck) sameFile(name string, write func(io.Writer) error) error {
	sum, err := hashed(io.Discard, write)
	if err != nil || sum != a.sums[name] {
		return fmt.Errorf("%s does not match the evidence", name)
	}
	return nil
}

// remadeSheets rebuilds the sheets from the other formats. Texts that no other file has
// come from the workbook itself: the details of checks that did not fail and, for packs
// of other versions, the note next to a total.
func (a *packCheck) remadeSheets(packed *zip.File) ([]spreadsheet.Sheet, error) {
	rows, checks, leftOut := evidenceSheet(a.titles, a.rows), checkSheet(nil), leftOutSheet(a.manifest.LeftOut)
	if c := slices.Index(a.titles, doubtsColumn); c >= 0 && a.manifest.Version != a.version && rows.Totals != nil {
		texts := openTexts(packed, 1)
		defer texts.Close()
		rows.Totals[c] = spreadsheet.Text(texts.next(spreadsheet.CellName(c, len(a.rows)+1)))
	}
	checks.Each = a.checkRows(packed)
	sheets := []spreadsheet.Sheet{rows, checks, leftOut}
	if len(a.manifest.Journal) > 0 {
		journal, err := a.manifest.journalSheet()
		if err != nil || len(journal.Columns) == 0 {
			return sheets, err
		}
		sheets = append(sheets, journal)
	}
	return sheets, nil
}

func (a *packCheck) checkRows(packed *zip.File) iter.Seq[[]spreadsheet.Cell] {
	const sheet, detailColumn = 2, 3
	return func(yield func([]spreadsheet.Cell) bool) {
		texts, number := openTexts(packed, sheet), 0
		defer texts.Close()
		for rows := range a.byRequest() {
			row, id := rows[0], a.value(rows[0], idColumn)
			for c, title := range a.titles {
				check, found := strings.CutPrefix(title, checkPrefix)
				if !found {
					continue
				}
				number++
				detail, doubted := a.doubt(id, check)
				if !doubted {
					detail = texts.next(spreadsheet.CellName(detailColumn, number))
				}
				if !yield(spreadsheet.Texts([]string{id, check, row[c], detail})) {
					return
				}
			}
		}
	}
}
