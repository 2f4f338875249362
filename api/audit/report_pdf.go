package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/model/file/paper"
	"tonne/model/statement"
)

// report is a PDF with headings and tables that is being printed. part is the title of the part that is
// printed, and again prints the headings of a table at the top of its next page.
type report struct {
	paper.Sheet
	name, period string
	// selection names what was selected in addition to the period, such as a vintage.
	selection []string
	account   statement.Account
	now       time.Time
	// made says of what the report was made.
	made  string
	part  string
	again func()
	// printed has the Latin characters that each font has printed.
	printed map[string]*[256]bool
	// line is the operator of a cell.
	line []byte
}

func newReport(name, period string, account statement.Account, now time.Time) *report {
	p := &report{
		Sheet: paper.New(capital(name), period, now),
		name:  name, period: period, account: account, now: now,
		printed: map[string]*[256]bool{paper.TextFont: {}, paper.TextFont + "B": {}, paper.CodeFont: {}},
	}
	// Text begins and ends where the rules do.
	p.PDF.SetCellMargin(0)
	p.PDF.SetHeaderFunc(p.header)
	return p
}

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// Font also sets the colour of areas: the PDF library writes the colour of each text that has another one.
func (p *report) Font(family, style string, size float64, c paper.Colour) {
	p.Sheet.Font(family, style, size, c)
	if r, g, b := p.PDF.GetFillColor(); (paper.Colour{R: r, G: g, B: b}) != c {
		p.PDF.SetFillColor(c.R, c.G, c.B)
	}
}

// cell prints text in the font and colour of Font, aligned to the left or right ("L", "R"). It writes what CellFormat
// of the PDF library does, which takes five times as long and has to see each character of a font once.
func (p *report) cell(w, h float64, text, align string) {
	x, y := p.PDF.GetXY()
	left, points := x, p.PDF.GetConversionRatio()
	if align == "R" {
		left += w - p.PDF.GetStringWidth(text)
	}
	_, page := p.PDF.GetPageSize()
	_, size := p.PDF.GetFontSize()
	p.line = append(strconv.AppendFloat(append(p.line[:0], "BT "...), left*points, 'f', 2, 64), ' ')
	p.line = append(strconv.AppendFloat(p.line, (page-(y+.5*h+.3*size))*points, 'f', 2, 64), " Td ("...)
	printed, known := p.printed[p.PDF.GetFontFamily()+p.PDF.GetFontStyle()], text != "" && p.Fits(h)
	for _, r := range text {
		if int(r) >= len(printed) {
			known = false
			break
		}
		known, printed[r] = known && printed[r], true
		if p.line = append(p.line, 0); strings.ContainsRune(`\()`, r) {
			p.line = append(p.line, '\\')
		}
		p.line = append(p.line, byte(r))
	}
	if !known {
		p.PDF.CellFormat(w, h, text, "", 0, align, false, 0, "")
		return
	}
	p.line = append(p.line, ")Tj ET"...)
	p.PDF.RawWriteStr(string(p.line))
	p.PDF.SetX(x + w)
}

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
		p.cell(t.widths[i], paper.Line, p.Fit(paper.Printable(text), t.widths[i]-1), align)
	}
	p.PDF.Ln(paper.Line)
}
