package audit

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tonne/model"
	"tonne/model/field"
	"tonne/model/file/paper"
	"tonne/model/retirement"
	"tonne/model/statement"
)

// StatementPDF prints a statement as a PDF: a summary, then the retirements of each beneficiary if
// it is by beneficiary, or else of each project. The same input makes the same bytes. step is called now and
// then with the number of retirements that are printed; its error ends the printing.
func StatementPDF(of statement.Source, s statement.Statement, step func(printed, all int) error) ([]byte, error) {
	details := s
	if of.By != statement.PerBeneficiary && of.By != statement.PerProject {
		of := of
		of.By = statement.PerProject
		var err error
		if details, err = s.Regrouped(of); err != nil {
			return nil, err
		}
	}
	p := &statementPDF{of: of, report: newReport("statement of carbon credits", of.Period(), of.Account, of.Now)}
	p.made = "from the trades of the inventory and the requests of the ledger."
	p.step = func() error { return step(p.printed, len(details.Retired)) }
	p.summary(s)
	parts := make(map[string][]statement.Retirement)
	for _, r := range details.Retired {
		parts[r.Key] = append(parts[r.Key], r)
	}
	for _, row := range details.Rows {
		if retired := parts[row.Key]; len(retired) > 0 {
			if err := p.section(row, retired); err != nil {
				return nil, err
			}
		}
	}
	p.footers()
	p.PDF.SetCompression(false)
	file, err := p.Bytes()
	if err == nil {
		file, err = paper.Deflate(file)
	}
	if err != nil {
		return nil, fmt.Errorf("print statement: %w", err)
	}
	return file, nil
}

// statementPDF is the state of printing a statement.
type statementPDF struct {
	*report
	of statement.Source
	// printed is the number of retirements so far, and step reports it.
	printed int
	step    func() error
}

func (p *statementPDF) summary(s statement.Statement) {
	p.first(AccountRows(p.of)...)
	p.Heading("Purchases and retirements by " + string(p.of.By))
	rows := StatementRows(p.of, s, field.Units{})
	const keyWidth = paper.Width - 4*31
	widths, figures := []float64{keyWidth}, rows[0][1:]
	for range figures {
		widths = append(widths, (paper.Width-keyWidth)/float64(len(figures)))
	}
	p.table(pdfTable{rows[0], widths, 1}, rows[1:], 2)
	if s.Total.Retired > 0 {
		p.Heading("Retired by")
		p.table(
			pdfTable{[]string{"SHARE", "VALUE", "QUANTITY", "PART"}, []float64{46, 70, 32, 22}, 2},
			ShareRows(s, field.Units{}),
			0,
		)
	}
	if len(s.Notes) > 0 {
		p.Heading("Notes")
	}
	for _, note := range s.Notes {
		p.paragraph(note.String())
	}
	p.unknownRows(s)
}

// unknownRows lists the rows of which the ledger has no request.
func (p *statementPDF) unknownRows(s statement.Statement) {
	var keys []string
	for _, row := range s.Rows {
		if !row.Retired.Known() && row.Key != statement.NotAttributed {
			keys = append(keys, p.title(row.Key))
		}
	}
	if len(keys) > 0 {
		p.Heading("Retired: unknown")
		p.paragraph("The ledger has no request of the period for: " + strings.Join(keys, " · "))
	}
}

// title returns the name of a row of the summary.
func (p *statementPDF) title(key string) string {
	if p.of.By == statement.PerProject {
		return p.of.Projects.Name(key)
	}
	return key
}

// section prints the pages of a beneficiary or project.
func (p *statementPDF) section(row statement.Row, retired []statement.Retirement) error {
	title, key, facts := "Beneficiary", row.Key, [][2]string(nil)
	if p.of.By != statement.PerBeneficiary {
		title, key = "Project", p.of.Projects.Name(row.Key)
		facts = append(facts, [2]string{"Project id", row.Key})
	}
	p.begin(title+": "+key, facts...)
	p.Heading("Totals")
	for n, text := range figureTexts(row, field.Units{}) {
		p.Fact(statement.Columns.Titled()[n].Label(), text)
	}
	p.Fact("In the ledger", model.Count(len(retired), "retirement", "retirements"))
	p.Heading("Retirements")
	p.start(retiredTable)
	for _, r := range retired {
		if p.printed%stepLength == 0 {
			if err := p.step(); err != nil {
				return err
			}
		}
		p.retirement(r)
		p.printed++
	}
	return nil
}

// stepLength is the number of retirements between two steps.
const stepLength = 250

var retiredTable = pdfTable{[]string{"RETIRED", "REQUEST", "QUANTITY"}, []float64{26, 112, 32}, 2}

func (p *statementPDF) retirement(r statement.Retirement) {
	lines := p.lines(r)
	p.keep(paper.Line, lines)
	p.row(
		retiredTable,
		[]string{r.RetiredAt.Time.UTC().Format(time.DateOnly), r.ID, r.Quantity.FormatTonnes()},
		paper.Ink,
		"B",
	)
	titles := p.again
	p.again = func() {
		titles()
		p.row(retiredTable, []string{"", r.ID + " (continued)", ""}, paper.Ink, "")
	}
	defer func() { p.again = titles }()
	for n, line := range lines {
		if n == len(lines)-certificateLines {
			p.keep(0, lines[n:])
		}
		p.small(line)
	}
	p.PDF.Ln(1.5)
}

// smallLine is a line of small print in a font.
type smallLine struct{ font, text string }

// certificateLines are the last lines of a retirement, which are on one page: the last serial
// number, the certificate and its hash.
const certificateLines = 3

func (p *statementPDF) lines(r statement.Retirement) (lines []smallLine) {
	about := []string{
		"project " + p.of.Projects.Name(r.ProjectID),
		"vintage " + p.vintage(r.Request),
		"for " + cmp.Or(strings.Join(r.Beneficiaries(), ", "), unknown),
	}
	if r.Quantity != r.TotalQuantity {
		about = append(
			about,
			"a part of "+r.TotalQuantity.FormatTonnes()+"; the serial numbers are those of the whole request",
		)
	}
	lines = append(lines, smallLine{paper.TextFont, strings.Join(about, " · ")})
	if len(r.SerialNumbers) == 0 {
		lines = append(lines, smallLine{paper.TextFont, "serial numbers unknown"})
	}
	for _, serial := range r.SerialNumbers {
		lines = append(lines, smallLine{paper.CodeFont, serial})
	}
	certificate := p.of.Certificates[r.ID]
	name := cmp.Or(r.CertificateURL, unknown)
	if certificate.Path != "" {
		name = filepath.Base(certificate.Path)
	}
	return append(lines, smallLine{paper.TextFont, "certificate " + name},
		smallLine{paper.CodeFont, "SHA-256 " + cmp.Or(certificate.SHA256, unknown+" (the certificate is not saved)")})
}

// mostKept is the number of lines that are not divided between pages.
const mostKept = 50

// keep starts a page unless the rest of this one has a height and lines, or their first ones if they
// are many.
func (p *statementPDF) keep(height float64, lines []smallLine) {
	if len(lines) > mostKept {
		lines = lines[:certificateLines]
	}
	// Measuring takes time, and is needed only near the end of a page.
	most := height
	for _, line := range lines {
		most += smallHeight * float64(1+len(line.text)/fewestRunes)
	}
	if p.Fits(most) {
		return
	}
	for _, line := range lines {
		height += smallHeight * float64(p.smallRows(line))
	}
	p.Keep(height)
}

// fewestRunes is a number of characters that two rows of a line have at least, also if they are wide and
// words are long.
const fewestRunes = 32

func (p *statementPDF) vintage(r *retirement.Request) string {
	for _, v := range p.of.Projects[r.ProjectID].Vintages {
		if v.ID == r.VintageID {
			return strconv.Itoa(v.Year)
		}
	}
	return cmp.Or(r.VintageID, unknown)
}

const (
	smallWidth  = paper.Width - 4
	smallHeight = 4.0
)

// smallRows returns the number of rows that a line needs.
func (p *statementPDF) smallRows(line smallLine) int {
	p.Font(line.font, "", 7.5, paper.Faint)
	if text := paper.Printable(line.text); p.PDF.GetStringWidth(text) >= smallWidth {
		return len(p.PDF.SplitText(text, smallWidth))
	}
	return 1
}

func (p *statementPDF) small(line smallLine) {
	p.Font(line.font, "", 7.5, paper.Faint)
	p.PDF.SetX(paper.Margin + paper.Width - smallWidth)
	text := paper.Printable(line.text)
	if p.PDF.GetStringWidth(text) < smallWidth {
		p.Cell(smallWidth, smallHeight, text, "L")
		p.PDF.Ln(smallHeight)
		return
	}
	p.PDF.MultiCell(smallWidth, smallHeight, text, "", "L", false)
}
