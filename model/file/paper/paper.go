// Package paper prints text on the A4 pages of a PDF: headings, facts and tables. The same
// input makes the same bytes. Start reading at New.
package paper

import (
	"bytes"
	"strings"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
)

// The Go fonts cover Latin, Greek and Cyrillic.
const (
	TextFont = "go"
	CodeFont = "gomono"
)

// Lengths in millimetres: the margin of a page, its width, the width of the text and the
// height of a line.
const (
	Margin    = 20.0
	PageWidth = 210.0
	Width     = PageWidth - 2*Margin
	Line      = 5.2
)

// Colour is a colour as red, green and blue.
type Colour struct{ R, G, B int }

// The colours of the pages.
var (
	Ink   = Colour{24, 32, 30}
	Faint = Colour{112, 124, 120}
	Mint  = Colour{15, 118, 92}
	Shade = Colour{243, 248, 246}
	rule  = Colour{208, 216, 212}
)

// Sheet is a PDF that is being printed.
type Sheet struct{ PDF *fpdf.Fpdf }

// New returns a PDF without pages. The date is its date of creation.
func New(title, subject string, at time.Time) Sheet {
	s := Sheet{fpdf.New("P", "mm", "A4", "")}
	s.PDF.SetCatalogSort(true)
	s.PDF.SetCreationDate(at)
	s.PDF.SetModificationDate(at)
	s.PDF.SetTitle(title, true)
	s.PDF.SetSubject(subject, true)
	s.PDF.SetCreator("tonne", true)
	s.PDF.SetLang("en")
	// The PDF library modifies the bytes of a font.
	s.PDF.AddUTF8FontFromBytes(TextFont, "", bytes.Clone(goregular.TTF))
	s.PDF.AddUTF8FontFromBytes(TextFont, "B", bytes.Clone(gobold.TTF))
	s.PDF.AddUTF8FontFromBytes(CodeFont, "", bytes.Clone(gomono.TTF))
	s.PDF.SetMargins(Margin, Margin, Margin)
	s.PDF.SetAutoPageBreak(true, 26)
	return s
}

// Pages returns the number of pages of a file that Bytes returned.
func Pages(file []byte) int { return bytes.Count(file, []byte("/Type /Page\n")) }

// Bytes returns the file.
func (s Sheet) Bytes() ([]byte, error) {
	var out bytes.Buffer
	err := s.PDF.Output(&out)
	return out.Bytes(), err
}

// Printable replaces invalid UTF-8 and characters outside the basic multilingual plane, which
// the PDF library cannot print, by the replacement character.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r > 0xffff:
			return unicode.ReplacementChar
		case unicode.IsControl(r):
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, string(unicode.ReplacementChar)))
}

// Font sets the font and the colour of text.
func (s Sheet) Font(family, style string, size float64, c Colour) {
	s.PDF.SetFont(family, style, size)
	if r, g, b := s.PDF.GetTextColor(); (Colour{r, g, b}) != c {
		s.PDF.SetTextColor(c.R, c.G, c.B)
	}
}

// Rule draws a line over the width of the text.
func (s Sheet) Rule() {
	s.PDF.SetDrawColor(rule.R, rule.G, rule.B)
	s.PDF.SetLineWidth(0.2)
	y := s.PDF.GetY()
	s.PDF.Line(Margin, y, Margin+Width, y)
}

// Banner prints the head of a page: a title on the left, and on the right an id or a period in a font.
func (s Sheet) Banner(title, id, font string) {
	s.PDF.SetFillColor(Mint.R, Mint.G, Mint.B)
	s.PDF.Rect(0, 0, PageWidth, 6, "F")
	s.Font(TextFont, "B", 10, Mint)
	s.PDF.SetXY(Margin, 12)
	s.PDF.CellFormat(Width/2, 6, title, "", 0, "L", false, 0, "")
	s.Font(font, "", 8.5, Faint)
	s.PDF.CellFormat(Width/2, 6, id, "", 1, "R", false, 0, "")
}

// Heading starts a part, on a new page if only its heading fits.
func (s Sheet) Heading(text string) {
	s.Keep(22)
	s.PDF.Ln(3.5)
	s.Font(TextFont, "B", 10, Mint)
	s.PDF.CellFormat(Width, 7, text, "", 1, "L", false, 0, "")
	s.Rule()
	s.PDF.Ln(1.5)
}

// Fits reports whether the rest of the page has a height.
func (s Sheet) Fits(height float64) bool {
	_, pageHeight := s.PDF.GetPageSize()
	_, bottom := s.PDF.GetAutoPageBreak()
	return s.PDF.GetY()+height <= pageHeight-bottom
}

// Keep starts a page unless the rest of this one has a height.
func (s Sheet) Keep(height float64) {
	if !s.Fits(height) {
		s.PDF.AddPage()
	}
}

// Fact prints a name and its value, over several lines if it is long.
func (s Sheet) Fact(name, value string) {
	s.Keep(Line)
	s.Font(TextFont, "", 9.5, Faint)
	s.PDF.CellFormat(36, Line, name, "", 0, "L", false, 0, "")
	s.Font(TextFont, "", 9.5, Ink)
	s.PDF.MultiCell(Width-36, Line, value, "", "L", false)
}

// Fit shortens a text to a width in the font that is set.
func (s Sheet) Fit(text string, width float64) string {
	if s.PDF.GetStringWidth(text) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && s.PDF.GetStringWidth(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
