package audit

import (
	"cmp"
	"fmt"
	"math/bits"
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

const unknown = "unknown"

// AccountRows returns the period, the tenant, the profile and the marketplace of a statement
// with their names.
func AccountRows(of statement.Source) [][2]string {
	return [][2]string{
		{
			"Period",
			of.Period(),
		}, {"Tenant", cmp.Or(of.Account.Tenant, unknown)}, {"Profile", cmp.Or(of.Account.Profile, "none")},
		{"Marketplace", cmp.Or(of.Account.Marketplace, unknown)},
	}
}

// StatementRows returns a statement as rows of text, below their titles. The first column is
// the key, the others are quantities and amounts. The last rows are the totals and the balance.
func StatementRows(of statement.Source, s statement.Statement, units field.Units) [][]string {
	figures := statement.Columns.Titled()
	titles := []string{strings.ToUpper(string(of.By))}
	for _, f := range figures {
		titles = append(titles, f.Title)
	}
	rows := [][]string{titles}
	for _, row := range s.Rows {
		key := row.Key
		if of.By == statement.PerProject {
			key = of.Projects.Name(key)
		}
		rows = append(rows, append([]string{cmp.Or(key, "TOTAL")}, figureTexts(row, units)...))
	}
	total := append([]string{"TOTAL"}, figureTexts(s.Total, units)...)
	for n, f := range figures {
		if s.AtLeast && (f.Name == "retired_grams" || f.Name == "retired_cost_cents") && total[n+1] != unknown {
			total[n+1] = "at least " + total[n+1]
		}
	}
	balance := make([]string, len(titles))
	balance[0], balance[1] = "BALANCE", known(field.Grams(s.Balance), units)
	return append(rows, total, balance)
}

// figureTexts returns the quantities and amounts of a row.
func figureTexts(row statement.Row, units field.Units) (texts []string) {
	for _, f := range statement.Columns.Titled() {
		texts = append(texts, known(f.Shown(row), units))
	}
	return texts
}

func known(v field.Value, units field.Units) string {
	if v.IsNull() {
		return unknown
	}
	return v.Format(units)
}

// ShareRows returns the shares of a statement as rows of text: share, value, quantity
// retired and percentage.
func ShareRows(s statement.Statement, units field.Units) (rows [][]string) {
	EachShare(s, func(share, value string, g model.Grams) {
		rows = append(rows, []string{shareNames[share], value, field.Grams(g).Format(units), partOf(g, s.Total.Retired)})
	})
	return rows
}

var shareNames = map[string]string{
	"standard": "Standard", "country_group": "Country group", "removal": "Removal or reduction", "ccp": "CCP label",
	"article6": "Article 6",
}

// EachShare calls do for each part of each share of a statement.
func EachShare(s statement.Statement, do func(share, value string, g model.Grams)) {
	for _, share := range s.Shares {
		for _, part := range share.Parts {
			do(share.Name, part.Value, part.Grams)
		}
		if share.Unclassified > 0 {
			do(share.Name, "not classified", share.Unclassified)
		}
	}
}

// partOf returns a percentage with one decimal, rounded half up. A part is never shown as
// 100 %, and a quantity above zero never as 0 %.
func partOf(g, whole model.Grams) string {
	if g < 0 || whole <= 0 || g > whole {
		return ""
	}
	high, low := bits.Mul64(uint64(g), 1000)
	permille, rest := bits.Div64(high, low, uint64(whole))
	if rest >= uint64(whole)-rest {
		permille++
	}
	switch {
	case permille == 0 && g > 0:
		return "< 0.1 %"
	case permille == 1000 && g < whole:
		return "> 99.9 %"
	}
	return fmt.Sprintf("%d.%d %%", permille/10, permille%10)
}

// StatementPDF prints a statement as a PDF: a summary, then pages for each beneficiary if it
// is by beneficiary, or else for each project. The same input makes the same bytes.
func StatementPDF(of statement.Source, s statement.Statement) ([]byte, error) {
	details := s
	if of.By != statement.PerBeneficiary && of.By != statement.PerProject {
		of := of
		of.By = statement.PerProject
		var err error
		if details, err = statement.New(of); err != nil {
			return nil, err
		}
	}
	p := &statementPDF{Sheet: paper.New("Statement of carbon credits", of.Period(), of.Now), of: of}
	p.PDF.SetHeaderFunc(p.header)
	p.PDF.SetFooterFunc(p.footer)
	p.summary(s)
	parts := make(map[string][]statement.Retirement)
	for _, r := range details.Retired {
		parts[r.Key] = append(parts[r.Key], r)
	}
	for _, row := range details.Rows {
		p.section(row, parts[row.Key])
	}
	file, err := p.Bytes()
	if err != nil {
		return nil, fmt.Errorf("print statement: %w", err)
	}
	return file, nil
}

// statementPDF is the state of printing a statement. Part is the title of the part that is
// printed, and again prints the headings of a table at the top of its next page.
type statementPDF struct {
	paper.Sheet
	of    statement.Source
	part  string
	again func()
}

func (p *statementPDF) header() {
	p.Banner("tonne · statement of carbon credits", p.of.Period())
	p.Font(paper.TextFont, "", 8.5, paper.Faint)
	words := []string{p.part}
	for _, f := range AccountRows(p.of)[1:] {
		words = append(words, f[0]+" "+f[1])
	}
	p.PDF.SetX(paper.Margin)
	p.PDF.CellFormat(
		paper.Width,
		5,
		p.Fit(paper.Printable(strings.Join(words, " · ")), paper.Width),
		"",
		1,
		"L",
		false,
		0,
		"",
	)
	p.PDF.SetY(28)
	if p.again != nil {
		p.again()
	}
}

func (p *statementPDF) footer() {
	p.PDF.SetY(-21)
	p.Rule()
	p.PDF.SetY(-19)
	p.Font(paper.TextFont, "", 7.5, paper.Faint)
	made := "Made at " + p.of.Now.UTC().
		Format("2006-01-02 15:04:05 UTC") +
		" from the trades of the inventory and the requests of the ledger."
	p.PDF.CellFormat(paper.Width-24, 4, made, "", 0, "L", false, 0, "")
	p.PDF.SetX(paper.Margin + paper.Width - 24)
	p.PDF.CellFormat(24, 4, fmt.Sprintf("page %d of {nb}", p.PDF.PageNo()), "", 0, "L", false, 0, "")
}

// begin starts the pages of a part.
func (p *statementPDF) begin(title string, facts ...[2]string) {
	p.again, p.part = nil, title
	p.PDF.AddPage()
	p.Font(paper.TextFont, "B", 18, paper.Ink)
	p.PDF.MultiCell(paper.Width, 8, paper.Printable(title), "", "L", false)
	p.PDF.Ln(2)
	for _, f := range append(facts, AccountRows(p.of)...) {
		p.Fact(f[0], paper.Printable(f[1]))
	}
}

func (p *statementPDF) summary(s statement.Statement) {
	p.begin("Statement")
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
		p.Font(paper.TextFont, "", 9, paper.Ink)
		p.PDF.MultiCell(paper.Width, paper.Line, paper.Printable(note.String()), "", "L", false)
		p.PDF.Ln(1)
	}
}

// section prints the pages of a beneficiary or project.
func (p *statementPDF) section(row statement.Row, retired []statement.Retirement) {
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
	if row.Retired.Known() {
		p.Fact("In the ledger", model.Count(len(retired), "retirement", "retirements"))
	} else {
		p.Fact("In the ledger", "no request of this period")
	}
	if len(retired) == 0 {
		return
	}
	p.Heading("Retirements")
	p.start(retiredTable)
	for _, r := range retired {
		p.retirement(r)
	}
}

var retiredTable = pdfTable{[]string{"RETIRED", "REQUEST", "QUANTITY"}, []float64{26, 112, 32}, 2}

func (p *statementPDF) retirement(r statement.Retirement) {
	p.Keep(4 * paper.Line)
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
	p.small(paper.TextFont, strings.Join(about, " · "))
	if len(r.SerialNumbers) == 0 {
		p.small(paper.TextFont, "serial numbers unknown")
	}
	for _, serial := range r.SerialNumbers {
		p.small(paper.CodeFont, serial)
	}
	certificate := p.of.Certificates[r.ID]
	name := cmp.Or(r.CertificateURL, unknown)
	if certificate.Path != "" {
		name = filepath.Base(certificate.Path)
	}
	p.small(paper.TextFont, "certificate "+name)
	p.small(paper.CodeFont, "SHA-256 "+cmp.Or(certificate.SHA256, unknown+" (the certificate is not saved)"))
	p.PDF.Ln(1.5)
}

func (p *statementPDF) vintage(r *retirement.Request) string {
	for _, v := range p.of.Projects[r.ProjectID].Vintages {
		if v.ID == r.VintageID {
			return strconv.Itoa(v.Year)
		}
	}
	return cmp.Or(r.VintageID, unknown)
}

func (p *statementPDF) small(font, text string) {
	p.Font(font, "", 7.5, paper.Faint)
	p.PDF.SetX(paper.Margin + 4)
	p.PDF.MultiCell(paper.Width-4, 4, paper.Printable(text), "", "L", false)
}

// pdfTable are the columns of a table. The first ones, as many as left, are aligned to the left.
type pdfTable struct {
	titles []string
	widths []float64
	left   int
}

// start prints the titles, here and at the top of the following pages.
func (p *statementPDF) start(t pdfTable) {
	p.again = func() { p.row(t, t.titles, paper.Faint, "B") }
	p.Keep(2 * paper.Line)
	p.again()
}

// table prints rows. The last ones, as many as totals, are bold.
func (p *statementPDF) table(t pdfTable, rows [][]string, totals int) {
	p.start(t)
	for n, row := range rows {
		style := ""
		if n >= len(rows)-totals {
			style = "B"
		}
		p.row(t, row, paper.Ink, style)
	}
	p.again = nil
}

func (p *statementPDF) row(t pdfTable, cells []string, c paper.Colour, style string) {
	p.Keep(paper.Line)
	p.Font(paper.TextFont, style, 9, c)
	p.PDF.SetX(paper.Margin)
	for i, text := range cells {
		align := "R"
		if i < t.left {
			align = "L"
		}
		p.PDF.CellFormat(t.widths[i], paper.Line, p.Fit(paper.Printable(text), t.widths[i]-1), "", 0, align, false, 0, "")
	}
	p.PDF.Ln(paper.Line)
}
