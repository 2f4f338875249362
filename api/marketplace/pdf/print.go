// Package pdf prints the certificate of a retirement as a PDF. Printing the same retirement
// again produces the same bytes, so that the hash of a copy proves that it is genuine. The
// package also checks the size and form of a registry's certificate. Start reading at Print.
package pdf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tonne/api/marketplace/exchange"
	"tonne/model"
	"tonne/model/file/paper"
	"tonne/model/retirement"
)

// Print prints a certificate on A4 pages.
func Print(c exchange.Certificate) ([]byte, error) {
	s := newSheet(printable(c))
	s.PDF.AddPage()
	s.statement()
	s.details()
	s.serials()
	s.items()
	file, err := s.Bytes()
	if err != nil {
		return nil, fmt.Errorf("print certificate: %w", err)
	}
	return file, nil
}

// printable returns a certificate whose texts the PDF library can print.
func printable(c exchange.Certificate) exchange.Certificate {
	clean := func(s *string) { *s = paper.Printable(*s) }
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

// sheet is the state of printing a certificate.
type sheet struct {
	exchange.Certificate
	paper.Sheet
}

const width = paper.Width

func newSheet(c exchange.Certificate) *sheet {
	s := &sheet{c,
		paper.New("Certificate of retirement "+c.Retirement.ID, c.Project.Name+", vintage "+fmt.Sprint(c.VintageYear),
			c.Retirement.RetiredAt.Time)}
	s.PDF.AliasNbPages("")
	s.PDF.SetHeaderFunc(s.header)
	s.PDF.SetFooterFunc(s.footer)
	return s
}

func date(t time.Time) string { return t.UTC().Format("2 January 2006 (UTC)") }

func joined(names []string) string {
	if len(names) == 0 {
		return "not named"
	}
	return strings.Join(names, ", ")
}

var (
	notice = paper.Colour{R: 176, G: 96, B: 0}
	ghost  = paper.Colour{R: 238, G: 241, B: 240}
)

func (s *sheet) header() {
	p := s.PDF
	if s.Synthetic {
		s.Font(paper.TextFont, "B", 78, ghost)
		p.TransformBegin()
		p.TransformRotate(52, 52, 238)
		p.Text(52, 238, "SYNTHETIC")
		p.TransformEnd()
	}
	s.Banner("tonne · carbon credit marketplace", s.Retirement.ID, paper.CodeFont)
	if s.Synthetic {
		s.Font(paper.TextFont, "B", 9, notice)
		p.SetX(paper.Margin)
		p.CellFormat(width, 5,
			"Synthetic: demonstration data. No credits were retired, and no claim may be based on this page.", "", 1, "L", false,
			0, "")
	}
	p.SetY(28)
}

func (s *sheet) footer() {
	p := s.PDF
	p.SetY(-21)
	s.Rule()
	p.SetY(-19)
	s.Font(paper.TextFont, "", 7.5, paper.Faint)
	p.MultiCell(width-24, 4,
		"Request "+s.Retirement.ID+". One serial number represents one tonne of carbon dioxide equivalent. "+
			"A copy is genuine if its SHA-256 equals that of the file on the marketplace.", "", "L", false)
	p.SetXY(paper.Margin+width-18, -19)
	p.CellFormat(18, 4, fmt.Sprintf("page %d of {nb}", p.PageNo()), "", 0, "L", false, 0, "")
}

func (s *sheet) statement() {
	p := s.PDF
	p.SetY(32)
	s.Font(paper.TextFont, "B", 25, paper.Ink)
	p.CellFormat(width, 12, "Certificate of retirement", "", 1, "L", false, 0, "")
	p.Ln(3)
	s.Font(paper.TextFont, "", 11, paper.Ink)
	p.MultiCell(width, 6,
		"This certifies that carbon credits of the quantity below were permanently retired in the registry, "+
			"so that they cannot be sold or used again.", "", "L", false)
	p.Ln(4)
	top := p.GetY()
	p.SetFillColor(paper.Shade.R, paper.Shade.G, paper.Shade.B)
	p.Rect(paper.Margin, top, width, 27, "F")
	p.SetFillColor(paper.Mint.R, paper.Mint.G, paper.Mint.B)
	p.Rect(paper.Margin, top, 1.4, 27, "F")
	p.SetXY(paper.Margin+7, top+4)
	s.Font(paper.TextFont, "B", 20, paper.Mint)
	p.CellFormat(width-14, 10, s.Retirement.TotalQuantity.FormatTonnes(), "", 2, "L", false, 0, "")
	s.Font(paper.TextFont, "", 11, paper.Ink)
	sentence := "retired on " + date(s.Retirement.RetiredAt.Time) + " in the name of " +
		joined(s.Certificate.Retirement.Beneficiaries())
	p.CellFormat(width-14, 8, s.Fit(sentence, width-14), "", 1, "L", false, 0, "")
	p.SetY(top + 29)
}

func (s *sheet) details() {
	r := s.Retirement
	s.Heading("Retirement")
	s.Fact("Beneficiary", joined(s.Certificate.Retirement.Beneficiaries()))
	s.Fact("Quantity", r.TotalQuantity.FormatTonnes()+" ("+r.TotalQuantity.FormatGrams()+")")
	s.Fact("Retired at", r.RetiredAt.Time.UTC().Format("2 January 2006, 15:04:05 UTC"))
	s.Fact("Requested at", r.CreatedAt.Time.UTC().Format("2 January 2006, 15:04:05 UTC"))
	s.Fact("Request", r.ID)
	s.Heading("Credits")
	s.Fact("Project", s.Project.Name)
	s.Fact("Type", s.Project.Type)
	s.Fact("Country", s.Project.Country)
	s.Fact("Vintage", strconv.Itoa(s.VintageYear))
	registry := s.Project.RegistryName
	if s.RegistryProject != "" {
		registry += ", project " + s.RegistryProject
	}
	s.Fact("Registry", registry)
	if s.Project.RegistryURL != "" {
		s.Fact("Registry page", s.Project.RegistryURL)
	}
	s.Fact("Project id", s.Project.ID)
	s.Fact("Vintage id", r.VintageID)
}

func (s *sheet) serials() {
	s.Heading("Serial numbers")
	for _, r := range s.Ranges {
		grams, err := model.WholeTonnes(r.Tonnes)
		if err != nil {
			s.PDF.SetError(err)
			return
		}
		s.row(func() {
			s.Font(paper.CodeFont, "", 8, paper.Ink)
			s.PDF.MultiCell(width-26, paper.Line, r.Serial, "", "L", false)
		}, grams.FormatTonnes())
	}
}

func (s *sheet) items() {
	s.Heading("Calls of this request")
	for _, item := range s.Retirement.Items {
		s.row(func() {
			s.Font(paper.CodeFont, "", 8, paper.Ink)
			s.PDF.CellFormat(width-30, paper.Line, item.ID+"  "+item.CreatedAt.Time.UTC().Format("2006-01-02 15:04:05 UTC"), "",
				2, "L", false, 0, "")
			s.Font(paper.TextFont, "", 8.5, paper.Faint)
			s.PDF.MultiCell(width, paper.Line, describe(item), "", "L", false)
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

func (s *sheet) row(body func(), quantity string) {
	s.Keep(3 * paper.Line)
	y := s.PDF.GetY()
	body()
	bottom := s.PDF.GetY()
	s.Font(paper.TextFont, "B", 9, paper.Ink)
	s.PDF.SetXY(paper.Margin+width-30, y)
	s.PDF.CellFormat(30, paper.Line, quantity, "", 0, "R", false, 0, "")
	s.PDF.SetXY(paper.Margin, max(bottom, y+paper.Line)+0.6)
}
