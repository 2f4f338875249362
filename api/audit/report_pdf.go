package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tonne/model/file/paper"
	"tonne/model/statement"
)

// report is a PDF with headings and tables that is being printed. part is the title of the part that is
// printed, and again prints the headings of a table at the top of its next page.
type report struct {
	paper.Cells
	name, period string
	// selection names what was selected in addition to the period, such as a vintage.
	selection []string
	account   statement.Account
	now       time.Time
	// made says of what the report was made.
	made  string
	part  string
	again func()
}

func newReport(name, period string, account statement.Account, now time.Time) *report {
	p := &report{
		Cells: paper.NewCells(paper.New(capital(name), period, now)),
		name:  name, period: period, account: account, now: now,
	}
	p.PDF.SetHeaderFunc(p.header)
	return p
}

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

func (p *report) header() {
	title := "tonne · " + p.name
	if p.PDF.PageNo() == 1 {
		// The title of the first page is below.
		title = "tonne"
	}
	p.Banner(title, p.period, paper.TextFont)
	p.Font(paper.TextFont, "", 8.5, paper.Faint)
	p.PDF.SetX(paper.Margin)
	p.PDF.CellFormat(paper.Width, 5, p.Fit(paper.Printable(p.place()), paper.Width), "", 1, "L", false, 0, "")
	p.PDF.SetY(28)
	if p.again != nil {
		p.again()
	}
}

// place returns the part, the selection, the owner and the marketplace, as far as they are known.
func (p *report) place() string {
	words := slices.Concat([]string{p.part}, p.selection,
		[]string{cmp.Or(p.account.Company.Name, p.account.Tenant), p.account.Marketplace})
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " · ")
}

// footers prints the foot of each page, when the number of pages is known.
func (p *report) footers() {
	p.again = nil
	pages := p.PDF.PageCount()
	p.PDF.SetAutoPageBreak(false, 0)
	for n := range pages {
		p.PDF.SetPage(n + 1)
		p.PDF.SetY(-21)
		p.Rule()
		p.PDF.SetY(-19)
		// The colour that the PDF library knows is that of another page.
		p.PDF.SetFillColor(paper.Faint.R, paper.Faint.G, paper.Faint.B)
		p.Font(paper.TextFont, "", 7.5, paper.Faint)
		made := "Made at " + p.now.UTC().Format("2006-01-02 15:04:05 UTC") + " " + p.made
		p.PDF.CellFormat(paper.Width-30, 4, made, "", 0, "L", false, 0, "")
		p.PDF.CellFormat(30, 4, fmt.Sprintf("page %d of %d", n+1, pages), "", 0, "R", false, 0, "")
	}
}

// first starts the first pages, with the name of the report as their title.
func (p *report) first(facts ...[2]string) {
	p.begin(capital(p.name), facts...)
	p.part = "Summary"
}

// begin starts the pages of a part.
func (p *report) begin(title string, facts ...[2]string) {
	p.again, p.part = nil, ""
	p.PDF.AddPage()
	p.part = title
	p.Font(paper.TextFont, "B", 18, paper.Ink)
	p.PDF.MultiCell(paper.Width, 8, paper.Printable(title), "", "L", false)
	p.PDF.Ln(2)
	for _, f := range facts {
		p.Fact(f[0], paper.Printable(f[1]))
	}
}

func (p *report) paragraph(text string) {
	p.Font(paper.TextFont, "", 9, paper.Ink)
	p.PDF.MultiCell(paper.Width, paper.Line, paper.Printable(text), "", "L", false)
	p.PDF.Ln(1)
}

// pdfTable are the columns of a table. The first ones, as many as left, are aligned to the left.
type pdfTable struct {
	titles []string
	widths []float64
	left   int
}

// start prints the titles, here and at the top of the following pages.
func (p *report) start(t pdfTable) {
	p.Keep(2 * paper.Line)
	p.again = func() { p.row(t, t.titles, paper.Faint, "B") }
	p.again()
}

// table prints rows. The last ones, as many as totals, are bold.
func (p *report) table(t pdfTable, rows [][]string, totals int) {
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

func (p *report) row(t pdfTable, cells []string, c paper.Colour, style string) {
	p.Keep(paper.Line)
	p.Font(paper.TextFont, style, 9, c)
	p.PDF.SetX(paper.Margin)
	for i, text := range cells {
		align := "R"
		if i < t.left {
			align = "L"
		}
		p.Cell(t.widths[i], paper.Line, p.Fit(paper.Printable(text), t.widths[i]-1), align)
	}
	p.PDF.Ln(paper.Line)
}
