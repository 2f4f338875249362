// Package pdf prints the certificate of a retirement as a PDF. Printing the same retirement
// again produces the same bytes, so that the hash of a copy proves that it is genuine. The
// package also checks the size and form of a registry's certificate. Start reading at Print.
package pdf

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/retirement"
)

// Print prints a certificate on A4 pages.
func Print(c exchange.Certificate) ([]byte, error) {
	s := newSheet(printable(c))
	s.pdf.AddPage()
	s.statement()
	s.details()
	s.serials()
	s.items()
	var out bytes.Buffer
	if err := s.pdf.Output(&out); err != nil {
		return nil, fmt.Errorf("print certificate: %w", err)
	}
	return out.Bytes(), nil
}

// printable replaces invalid UTF-8 and characters outside the basic multilingual plane, which
// the PDF library cannot print, by the replacement character.
func printable(c exchange.Certificate) exchange.Certificate {
	clean := func(s *string) {
		*s = strings.Map(func(r rune) rune {
			switch {
			case r > 0xffff:
				return unicode.ReplacementChar
			case unicode.IsControl(r):
				return ' '
			}
			return r
		}, strings.ToValidUTF8(*s, string(unicode.ReplacementChar)))
	}
	clean(&c.Project.Name)
	clean(&c.Project.Type)
	c.Retirement.Items = slices.Clone(c.Retirement.Items)
	for i := range c.Retirement.Items {
		item := &c.Retirement.Items[i]
		clean(&item.RetireeName)
		clean(&item.RetireeTaxID)
		clean(&item.RetireeCountry)
	}
	return c
}

func beneficiaries(c exchange.Certificate) []string {
	var names []string
	for _, item := range c.Retirement.Items {
		if item.RetireeName != "" && !slices.Contains(names, item.RetireeName) {
			names = append(names, item.RetireeName)
		}
	}
	return names
}

// The Go fonts cover Latin, Greek and Cyrillic.
const (
	textFont = "go"
	codeFont = "gomono"
)

// sheet is the state of printing a certificate. Lengths are in millimetres.
type sheet struct {
	exchange.Certificate
	pdf *fpdf.Fpdf
}

const (
	margin    = 20.0
	pageWidth = 210.0
	width     = pageWidth - 2*margin
	line      = 5.2
)

func newSheet(c exchange.Certificate) *sheet {
	s := &sheet{c, fpdf.New("P", "mm", "A4", "")}
	s.pdf.SetCatalogSort(true)
	s.pdf.SetCreationDate(c.Retirement.RetiredAt.Time)
	s.pdf.SetModificationDate(c.Retirement.RetiredAt.Time)
	s.pdf.SetTitle("Certificate of retirement "+c.Retirement.ID, true)
	s.pdf.SetSubject(c.Project.Name+", vintage "+fmt.Sprint(c.VintageYear), true)
	s.pdf.SetCreator("tonne", true)
	s.pdf.SetLang("en")
	// The PDF library modifies the bytes of a font.
	s.pdf.AddUTF8FontFromBytes(textFont, "", bytes.Clone(goregular.TTF))
	s.pdf.AddUTF8FontFromBytes(textFont, "B", bytes.Clone(gobold.TTF))
	s.pdf.AddUTF8FontFromBytes(codeFont, "", bytes.Clone(gomono.TTF))
	s.pdf.SetMargins(margin, margin, margin)
	s.pdf.SetAutoPageBreak(true, 26)
	s.pdf.SetHeaderFunc(s.header)
	s.pdf.SetFooterFunc(s.footer)
	s.pdf.AliasNbPages("")
	return s
}

func date(t time.Time) string { return t.UTC().Format("2 January 2006 (UTC)") }

func joined(names []string) string {
	if len(names) == 0 {
		return "not named"
	}
	return strings.Join(names, ", ")
}

type colour struct{ r, g, b int }

var (
	ink    = colour{24, 32, 30}
	faint  = colour{112, 124, 120}
	rule   = colour{208, 216, 212}
	mint   = colour{15, 118, 92}
	shade  = colour{243, 248, 246}
	notice = colour{176, 96, 0}
	ghost  = colour{238, 241, 240}
)

func (s *sheet) header() {
	p := s.pdf
	if s.Synthetic {
		s.font(textFont, "B", 78, ghost)
		p.TransformBegin()
		p.TransformRotate(52, 52, 238)
		p.Text(52, 238, "SYNTHETIC")
		p.TransformEnd()
	}
	p.SetFillColor(mint.r, mint.g, mint.b)
	p.Rect(0, 0, pageWidth, 6, "F")
	s.font(textFont, "B", 10, mint)
	p.SetXY(margin, 12)
	p.CellFormat(width/2, 6, "tonne · carbon credit marketplace", "", 0, "L", false, 0, "")
	s.font(codeFont, "", 8.5, faint)
	p.CellFormat(width/2, 6, s.Retirement.ID, "", 1, "R", false, 0, "")
	if s.Synthetic {
		s.font(textFont, "B", 9, notice)
		p.SetX(margin)
		p.CellFormat(width, 5, "Synthetic: demonstration data. No credits were retired, and no claim may be based on this page.", "", 1, "L", false, 0, "")
	}
	p.SetY(28)
}

func (s *sheet) footer() {
	p := s.pdf
	p.SetY(-21)
	s.line()
	p.SetY(-19)
	s.font(textFont, "", 7.5, faint)
	p.MultiCell(width-24, 4, "Request "+s.Retirement.ID+". One serial number represents one tonne of carbon dioxide equivalent. "+
		"A copy is genuine if its SHA-256 equals that of the file on the marketplace.", "", "L", false)
	p.SetXY(margin+width-18, -19)
	p.CellFormat(18, 4, fmt.Sprintf("page %d of {nb}", p.PageNo()), "", 0, "L", false, 0, "")
}

func (s *sheet) statement() {
	p := s.pdf
	p.SetY(32)
	s.font(textFont, "B", 25, ink)
	p.CellFormat(width, 12, "Certificate of retirement", "", 1, "L", false, 0, "")
	p.Ln(3)
	s.font(textFont, "", 11, ink)
	p.MultiCell(width, 6, "This certifies that carbon credits of the quantity below were permanently retired in the registry, "+
		"so that they cannot be sold or used again.", "", "L", false)
	p.Ln(4)
	top := p.GetY()
	p.SetFillColor(shade.r, shade.g, shade.b)
	p.Rect(margin, top, width, 27, "F")
	p.SetFillColor(mint.r, mint.g, mint.b)
	p.Rect(margin, top, 1.4, 27, "F")
	p.SetXY(margin+7, top+4)
	s.font(textFont, "B", 20, mint)
	p.CellFormat(width-14, 10, s.Retirement.TotalQuantity.FormatTonnes(), "", 2, "L", false, 0, "")
	s.font(textFont, "", 11, ink)
	sentence := "retired on " + date(s.Retirement.RetiredAt.Time) + " in the name of " + joined(beneficiaries(s.Certificate))
	p.CellFormat(width-14, 8, s.fit(sentence, width-14), "", 1, "L", false, 0, "")
	p.SetY(top + 29)
}

func (s *sheet) details() {
	r := s.Retirement
	s.heading("Retirement")
	s.fact("Beneficiary", joined(beneficiaries(s.Certificate)))
	s.fact("Quantity", r.TotalQuantity.FormatTonnes()+" ("+r.TotalQuantity.FormatGrams()+")")
	s.fact("Retired at", r.RetiredAt.Time.UTC().Format("2 January 2006, 15:04:05 UTC"))
	s.fact("Requested at", r.CreatedAt.Time.UTC().Format("2 January 2006, 15:04:05 UTC"))
	s.fact("Request", r.ID)
	s.heading("Credits")
	s.fact("Project", s.Project.Name)
	s.fact("Type", s.Project.Type)
	s.fact("Country", s.Project.Country)
	s.fact("Vintage", strconv.Itoa(s.VintageYear))
	registry := s.Project.RegistryName
	if s.RegistryProject != "" {
		registry += ", project " + s.RegistryProject
	}
	s.fact("Registry", registry)
	if s.Project.RegistryURL != "" {
		s.fact("Registry page", s.Project.RegistryURL)
	}
	s.fact("Project id", s.Project.ID)
	s.fact("Vintage id", r.VintageID)
}

func (s *sheet) serials() {
	s.heading("Serial numbers")
	for _, r := range s.Ranges {
		grams, err := model.WholeTonnes(r.Tonnes)
		if err != nil {
			s.pdf.SetError(err)
			return
		}
		s.row(func() {
			s.font(codeFont, "", 8, ink)
			s.pdf.MultiCell(width-26, line, r.Serial, "", "L", false)
		}, grams.FormatTonnes())
	}
}

func (s *sheet) items() {
	s.heading("Calls of this request")
	for _, item := range s.Retirement.Items {
		s.row(func() {
			s.font(codeFont, "", 8, ink)
			s.pdf.CellFormat(width-30, line, item.ID+"  "+item.CreatedAt.Time.UTC().Format("2006-01-02 15:04:05 UTC"), "", 2, "L", false, 0, "")
			s.font(textFont, "", 8.5, faint)
			s.pdf.MultiCell(width, line, describe(item), "", "L", false)
		}, item.Quantity.FormatTonnes())
	}
}

func describe(item retirement.Item) string {
	text := joined([]string{item.RetireeName})
	for _, part := range []struct{ label, value string }{
		{"tax id ", item.RetireeTaxID}, {"", item.RetireeCountry}, {"invoice ", item.InvoiceID}, {"trade ", item.TradeID},
	} {
		if part.value != "" {
			text += " · " + part.label + part.value
		}
	}
	return text
}

func (s *sheet) font(family, style string, size float64, c colour) {
	s.pdf.SetFont(family, style, size)
	s.pdf.SetTextColor(c.r, c.g, c.b)
}

func (s *sheet) line() {
	s.pdf.SetDrawColor(rule.r, rule.g, rule.b)
	s.pdf.SetLineWidth(0.2)
	y := s.pdf.GetY()
	s.pdf.Line(margin, y, margin+width, y)
}

func (s *sheet) heading(text string) {
	s.keep(22)
	s.pdf.Ln(3.5)
	s.font(textFont, "B", 10, mint)
	s.pdf.CellFormat(width, 7, text, "", 1, "L", false, 0, "")
	s.line()
	s.pdf.Ln(1.5)
}

func (s *sheet) keep(height float64) {
	_, pageHeight := s.pdf.GetPageSize()
	_, bottom := s.pdf.GetAutoPageBreak()
	if s.pdf.GetY()+height > pageHeight-bottom {
		s.pdf.AddPage()
	}
}

func (s *sheet) fact(name, value string) {
	s.keep(line)
	s.font(textFont, "", 9.5, faint)
	s.pdf.CellFormat(36, line, name, "", 0, "L", false, 0, "")
	s.font(textFont, "", 9.5, ink)
	s.pdf.MultiCell(width-36, line, value, "", "L", false)
}

func (s *sheet) row(body func(), quantity string) {
	s.keep(3 * line)
	y := s.pdf.GetY()
	body()
	bottom := s.pdf.GetY()
	s.font(textFont, "B", 9, ink)
	s.pdf.SetXY(margin+width-30, y)
	s.pdf.CellFormat(30, line, quantity, "", 0, "R", false, 0, "")
	s.pdf.SetXY(margin, max(bottom, y+line)+0.6)
}

func (s *sheet) fit(text string, width float64) string {
	if s.pdf.GetStringWidth(text) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && s.pdf.GetStringWidth(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
