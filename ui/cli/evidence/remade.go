package evidence

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"tonne/api/wire"
	"tonne/model"
	"tonne/ui/spreadsheet"
)

// answerColumns are the columns that come from nothing but the answer of the
// service. Checks of it are made in another way by another version.
var (
	answerColumns = []string{
		idColumn, "status", "type", "project_id", "vintage_id", totalColumn, "created_at", "retired_at",
		"serial_number", "serial_start", "serial_end", tonnesColumn,
		"item_ids", "beneficiary_name", "beneficiary_tax_id", "beneficiary_country", "invoice_ids", "trade_ids", "certificate_url",
	}
	answerChecks = []string{model.ItemsSumToTotal, model.SerialsSumToWholeTonnes, model.InvoicesSettled, model.BeneficiaryPresent}
)

const checkPrefix = "check_"

// holdAnswer holds the rows of a request against those that its answer makes, and
// its checks against its doubts.
func (a *agreement) holdAnswer(rows []model.EvidenceRow) {
	id := a.value(rows[0], idColumn)
	a.holdChecks(id, rows)
	name := answersDir + model.FileName(id) + ".json"
	if a.files[name] == nil {
		return
	}
	text, err := readPacked(a.files[name], maxPackFile)
	var answer model.Retirement
	if err == nil {
		answer, err = wire.DecodeRetirement(text)
	}
	if err != nil {
		a.wrong = append(a.wrong, name+" is no answer that can be read")
		return
	}
	a.answers[id] = answer
	remade := model.Evidence(model.EvidenceSource{Retirement: answer}, !a.manifest.TaxIDsMasked)
	if len(remade) != len(rows) {
		a.wrong = append(a.wrong, fmt.Sprintf("%s has %d serial numbers, and the evidence has %d rows of it", name, len(answer.SerialNumbers), len(rows)))
		return
	}
	if differ := a.differing(rows, remade); len(differ) > 0 {
		a.wrong = append(a.wrong, fmt.Sprintf("%s and the evidence differ: %s", name, strings.Join(differ, ", ")))
	}
}

// differing are the columns in which rows are not what an answer makes.
func (a *agreement) differing(rows, remade []model.EvidenceRow) (titles []string) {
	held := slices.Clone(answerColumns)
	if a.manifest.Version == a.version {
		for _, check := range answerChecks {
			held = append(held, checkPrefix+check)
		}
	}
	for c, title := range model.EvidenceColumns() {
		at := slices.Index(a.titles, title)
		if at < 0 || !slices.Contains(held, title) {
			continue
		}
		for i, row := range rows {
			// What is no text at all is written as JSON has it.
			if row[at] != strings.ToValidUTF8(remade[i][c], "\ufffd") {
				titles = append(titles, title)
				break
			}
		}
	}
	return titles
}

// holdChecks holds the checks of a request against what the manifest doubts.
func (a *agreement) holdChecks(id string, rows []model.EvidenceRow) {
	for c, title := range a.titles {
		check, found := strings.CutPrefix(title, checkPrefix)
		if !found {
			continue
		}
		_, doubted := a.failed[[2]string{id, check}]
		for _, row := range rows {
			if (row[c] == string(model.Fail)) != doubted {
				a.wrong = append(a.wrong, fmt.Sprintf("%s of %s is %q, and the doubts tell otherwise", title, id, row[c]))
				break
			}
		}
	}
}

// holdWorkbook holds the workbook against the one that the other formats and the
// manifest make, cell by cell, its formulas and what they amount to.
func (a *agreement) holdWorkbook() error {
	file, err := a.files[evidenceFile+".xlsx"].Open()
	if err != nil {
		return unreadable(".xlsx")
	}
	defer file.Close()
	packed, err := openBook(file)
	if err != nil {
		return unreadable(".xlsx")
	}
	remade, err := remadeBook(a.remadeSheets()...)
	if err != nil {
		return unreadable(".xlsx")
	}
	if !slices.Equal(packed.sheets(), remade.sheets()) {
		return fmt.Errorf("%s.xlsx has other sheets than the evidence makes", evidenceFile)
	}
	for i, name := range remade.sheets() {
		if err := a.holdSheet(i, name, packed, remade); err != nil {
			return err
		}
	}
	return nil
}

// remadeBook is a workbook of sheets as one that is read.
func remadeBook(sheets ...spreadsheet.Sheet) (book, error) {
	var made bytes.Buffer
	if err := (spreadsheet.Workbook{Sheets: sheets, Plain: true}).Write(&made); err != nil {
		return book{}, err
	}
	return openBook(&made)
}

// remadeSheets are the sheets that the other formats make. What stands beside a
// check that did not fail is in no other file, and is left empty.
func (a *agreement) remadeSheets() []spreadsheet.Sheet {
	checks, leftOut := checkSheet(nil), leftOutSheet(nil)
	last := ""
	for i, row := range a.rows {
		id := a.value(row, idColumn)
		if i > 0 && id == last {
			continue
		}
		last = id
		for c, title := range a.titles {
			if check, found := strings.CutPrefix(title, checkPrefix); found {
				checks.Rows = append(checks.Rows, spreadsheet.Texts([]string{id, check, row[c], a.failed[[2]string{id, check}]}))
			}
		}
	}
	for _, l := range a.manifest.LeftOut {
		leftOut.Rows = append(leftOut.Rows, spreadsheet.Texts([]string{l.ID, l.Reason}))
	}
	sheets := []spreadsheet.Sheet{evidenceSheet(a.titles, a.rows), checks, leftOut}
	if len(a.manifest.Journal) > 0 {
		sheets = append(sheets, membersSheet(a.manifest.Journal))
	}
	return sheets
}

// The place of the sheet of checks, and of its column that says what was found.
const (
	checksSheet  = 1
	detailColumn = 3
)

func (a *agreement) holdSheet(n int, name string, packed, remade book) error {
	next, err := packed.rows(name)
	if err != nil {
		return unreadable(".xlsx")
	}
	want, err := remade.rows(name)
	if err != nil {
		return err
	}
	for row := 0; ; row++ {
		found, err := next()
		made, madeErr := want()
		if err != nil && err != io.EOF || madeErr != nil && madeErr != io.EOF {
			return unreadable(".xlsx")
		}
		if (err == nil) != (madeErr == nil) {
			return fmt.Errorf("sheet %d of %s.xlsx has other rows than the evidence makes", n+1, evidenceFile)
		}
		if err != nil {
			return nil
		}
		if n == checksSheet && len(found) > detailColumn && len(made) > detailColumn && made[detailColumn] == (sheetCell{}) {
			made[detailColumn] = found[detailColumn]
		}
		if n == 0 && row > len(a.rows) && a.manifest.Version != a.version {
			// Versions differ in what they say beside a total.
			found, made = withoutText(found), withoutText(made)
		}
		if !slices.Equal(found, made) {
			return a.otherCell(n, row, found, made)
		}
	}
}

func withoutText(row []sheetCell) []sheetCell {
	row = slices.Clone(row)
	for c := range row {
		row[c].Text = ""
	}
	return row
}

// otherCell says where a row of a sheet differs from what the evidence makes of it.
func (a *agreement) otherCell(sheet, row int, found, made []sheetCell) error {
	c := 0
	for c < min(len(found), len(made)) && found[c] == made[c] {
		c++
	}
	switch {
	case sheet == 0 && row == 0:
		return errTitles
	case sheet == 0 && c < len(a.titles) && row <= len(a.rows):
		return fmt.Errorf("%s.xlsx and %s.json differ in row %d: %s", evidenceFile, evidenceFile, row, a.titles[c])
	case sheet == 0:
		return fmt.Errorf("the totals of %s.xlsx are not those of the evidence", evidenceFile)
	}
	return fmt.Errorf("row %d of sheet %d of %s.xlsx is not what the evidence makes", row+1, sheet+1, evidenceFile)
}
